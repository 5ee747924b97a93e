package dev.resilience.spring;

import dev.resilience.log.LogLine;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What works, but probably not as meant: logged, and shown by the actuator. Most of it is found at startup. Safe for use by many
 * threads.
 */
public final class StartupWarnings {

    private static final Logger log = LoggerFactory.getLogger(StartupWarnings.class);
    private static final LogLine WARNING = LogLine.warn("startup_warning");
    private static final String PAGE = "docs/warnings.md#";

    private final Set<WarningId> ignored;
    private final Set<String> known = ConcurrentHashMap.newKeySet();
    private final List<String> warnings = new CopyOnWriteArrayList<>();
    private final List<Runnable> checks = new CopyOnWriteArrayList<>();

    /** What {@link WarningId#of} makes. */
    public record Warning(WarningId id, String text) {}

    /** Ignores none. */
    public StartupWarnings() {
        this(Set.of());
    }

    /** @param ignored what is neither logged nor shown */
    public StartupWarnings(Set<WarningId> ignored) {
        this.ignored = Set.copyOf(ignored);
    }

    /** Adds a warning and logs it, unless it is ignored, or known already. */
    public void add(Warning warning) {
        addOnce(warning.text, warning);
    }

    /**
     * As {@link #add(Warning)}, for a text that is another one each time.
     *
     * @param subject what it is about: one warning of an id is added for it
     */
    public void addOnce(String subject, Warning warning) {
        if (!ignored.contains(warning.id)) {
            add(warning.id + subject, warning.text + " [" + warning.id + "] (" + PAGE + warning.id + ")");
        }
    }

    /** Adds a warning of a kind of the application's own, which has no id, and logs it, unless it is known already. */
    public void add(String warning) {
        add(warning, warning);
    }

    private void add(String subject, String warning) {
        if (known.add(subject)) {
            warnings.add(warning);
            WARNING.in(log).log(warning);
        }
    }

    /** Runs a check whenever the warnings are asked for: it looks at what only a running application shows. */
    public void whenAsked(Runnable check) {
        checks.add(check);
    }

    /** The texts of all warnings until now; those with an id end with it and its place in the docs. */
    public List<String> all() {
        checks.forEach(Runnable::run);
        return List.copyOf(warnings);
    }
}
