package dev.resilience.spring;

import dev.resilience.log.LogLine;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;

/**
 * Collects what cannot work, in properties and in annotations, while an application starts, so that all of it is told
 * at once. The startup goes on only to find the rest: no protected call runs while a mistake is known, and the end of
 * the startup throws. From then on a mistake is thrown where it is found. Safe for use by many threads.
 */
public final class StartupMistakes implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(StartupMistakes.class);
    private static final LogLine MISTAKES = LogLine.error("startup_mistakes");

    private final Map<String, ResilienceConfigurationException> found = new LinkedHashMap<>();
    private volatile boolean empty = true; // asked by calls
    private boolean over;
    private boolean told;

    /** For what runs without a startup, such as processing ahead of time: every mistake is thrown at once. */
    public static StartupMistakes thrownAtOnce() {
        StartupMistakes mistakes = new StartupMistakes();
        mistakes.over = true;
        return mistakes;
    }

    /**
     * Keeps the mistake until the startup ends.
     *
     * @throws ResilienceConfigurationException the mistake itself, if the startup is over
     */
    public void add(ResilienceConfigurationException mistake) {
        for (ResilienceConfigurationException part : mistake.mistakes()) {
            add(String.valueOf(part.getMessage()), part);
        }
    }

    /**
     * As {@link #add(ResilienceConfigurationException)}, for a mistake that is met several times: a value that many
     * policies inherit.
     *
     * @param identity equal for equal mistakes, the first of which is kept
     */
    public synchronized void add(String identity, ResilienceConfigurationException mistake) {
        if (over) {
            throw mistake;
        }
        found.putIfAbsent(identity, mistake);
        empty = false;
    }

    /** Runs the check and keeps what it throws. */
    public void collect(Runnable check) {
        try {
            check.run();
        } catch (ResilienceConfigurationException mistake) {
            add(mistake);
        }
    }

    /** Whether no mistake is known. */
    public boolean isEmpty() {
        return empty;
    }

    /** Throws all mistakes that are known, if there are any. */
    public void throwIfAny() {
        if (!empty) {
            throw all();
        }
    }

    /** A mistake that cannot wait for the end of the startup, with all those that are known. */
    public ResilienceConfigurationException with(ResilienceConfigurationException mistake) {
        if (empty) {
            return mistake;
        }
        add(mistake);
        return all();
    }

    private synchronized ResilienceConfigurationException all() {
        told = true;
        return ResilienceConfigurationException.causedBy(List.copyOf(found.values()));
    }

    /** Throws all mistakes that are known, or else ends the time of collecting. */
    public synchronized void end() {
        throwIfAny();
        over = true;
    }

    /** Another bean failed first: what was found until then is not lost. */
    @Override
    public synchronized void destroy() {
        if (!empty && !told) {
            ResilienceConfigurationException all = all();
            MISTAKES.in(log)
                    .log(
                            "The application would not have started either because of this:\n\n{}\n\n{}",
                            all.getMessage(),
                            all.action());
        }
    }
}
