package dev.resilience.spring;

import dev.resilience.log.LogLine;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** What was found at startup that works, but probably not as meant: logged, and shown by the actuator. */
public final class StartupWarnings {

    private static final Logger log = LoggerFactory.getLogger(StartupWarnings.class);
    private static final LogLine WARNING = LogLine.warn("startup_warning");

    private final List<String> warnings = new CopyOnWriteArrayList<>();

    /** Adds a warning and logs it, unless it is known already. */
    public void add(String warning) {
        if (!warnings.contains(warning)) {
            warnings.add(warning);
            WARNING.in(log).log(warning);
        }
    }

    public List<String> all() {
        return List.copyOf(warnings);
    }
}
