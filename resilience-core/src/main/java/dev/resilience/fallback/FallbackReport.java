package dev.resilience.fallback;

import dev.resilience.event.FallbackOutcome;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.log.LoggedFailure;
import dev.resilience.time.TimeSource;
import org.slf4j.LoggerFactory;

/**
 * Counts and logs what the fallbacks of one name do. However many there are, the name has one series of counts, and ten
 * lines a second in the log. Safe for use by many threads.
 */
public final class FallbackReport implements AutoCloseable {

    private static final LogLine ANSWERED = LogLine.warn("fallback_answered", "answered", "answered by the fallback");
    private static final LogLine FAILED = LogLine.warn("fallback_failed", "failed", "failed in the fallback too");
    private final String name;
    private final OutcomeCounters<FallbackOutcome> calls = new OutcomeCounters<>(FallbackOutcome.class);
    private final FoldedLog log;

    /**
     * @param name the protected method: {@code OrderService.place}
     * @param time tells how many lines of the log come in a second
     */
    public FallbackReport(String name, TimeSource time) {
        this.name = name;
        this.log = new FoldedLog(
                LoggerFactory.getLogger(Fallback.class), time, "Fallback", name, "fallback_summary", ANSWERED, FAILED);
    }

    public String name() {
        return name;
    }

    /** Calls of the fallback methods by how they ended. */
    public OutcomeCounters<FallbackOutcome> calls() {
        return calls;
    }

    /** Writes to the log what it has counted in place of single lines. What comes later is served as before. */
    @Override
    public void close() {
        log.close();
    }

    void answered(Throwable failure) {
        calls.count(FallbackOutcome.SUCCESS);
        log.write(ANSWERED, failure, line -> {
            LoggedFailure failed = LoggedFailure.of(failure);
            failed.addTo(line).log("Fallback '{}': the fallback method answered for {}", name, failed);
        });
    }

    void failed(Throwable failure, Throwable again) {
        calls.count(FallbackOutcome.FAILURE);
        log.write(FAILED, again, line -> {
            LoggedFailure failed = LoggedFailure.of(again);
            String answeredFor = failure.getClass().getName();
            failed.addTo(line.addKeyValue("answeredFor", answeredFor))
                    .log(
                            "Fallback '{}': the fallback method, asked because of {}, failed: {}",
                            name,
                            answeredFor,
                            failed);
        });
    }
}
