package dev.resilience.spring;

import dev.resilience.log.LogLine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * Collects what cannot work, in properties and in annotations, while an application starts, so that all of it is reported
 * together. The startup goes on only to find the rest: no protected call runs while a problem is known, and the end of
 * the startup throws. From then on a problem is thrown where it is found. Safe for use by many threads.
 */
public final class StartupProblems implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(StartupProblems.class);
    private static final LogLine PROBLEMS = LogLine.error("startup_problems");

    private final Map<String, ResilienceConfigurationException> found = new LinkedHashMap<>();
    private volatile boolean empty = true; // asked by calls
    private boolean over;
    private boolean told;

    /**
     * Keeps the problem until the startup ends.
     *
     * @throws ResilienceConfigurationException the problem itself, if the startup is over
     */
    public void add(ResilienceConfigurationException problem) {
        problem.problems().forEach(part -> add(String.valueOf(part.getMessage()), part));
    }

    /**
     * As {@link #add(ResilienceConfigurationException)}, for a problem that is met several times: a value that many
     * policies inherit.
     *
     * @param identity equal for equal problems, the first of which is kept
     */
    public synchronized void add(String identity, ResilienceConfigurationException problem) {
        if (over) {
            throw problem;
        }
        found.putIfAbsent(identity, problem);
        empty = false;
    }

    /** Runs the check and keeps what it throws. */
    public void collect(Runnable check) {
        collect(() -> {
            check.run();
            return null;
        });
    }

    /** What is made; {@code null} and one problem more if that fails. */
    public <T> @Nullable T collect(Supplier<@Nullable T> made) {
        try {
            return made.get();
        } catch (ResilienceConfigurationException problem) {
            add(problem);
            return null;
        }
    }

    /** Whether no problem is known. */
    public boolean isEmpty() {
        return empty;
    }

    /** Throws all problems that are known, if there are any. */
    public void throwIfAny() {
        if (!empty) {
            throw all();
        }
    }

    /** A problem that cannot wait for the end of the startup, with all those that are known. */
    public ResilienceConfigurationException with(ResilienceConfigurationException problem) {
        if (empty) {
            return problem;
        }
        add(problem);
        return all();
    }

    /** All problems that are known, in one; there is at least one. */
    public synchronized ResilienceConfigurationException all() {
        told = true;
        return ResilienceConfigurationException.of(List.copyOf(found.values()));
    }

    /** Throws all problems that are known, or else ends the time of collecting. */
    public synchronized void end() {
        throwIfAny();
        over = true;
    }

    /** Another bean failed first: what was found until then is not lost. */
    @Override
    public synchronized void destroy() {
        if (!empty && !told) {
            ResilienceConfigurationException all = all();
            PROBLEMS.in(log)
                    .log(
                            "The application would not have started either because of this:\n\n{}\n\n{}",
                            all.getMessage(),
                            all.action());
        }
    }
}
