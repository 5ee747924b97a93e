package dev.resilience.fallback;

import dev.resilience.event.FallbackOutcome;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LoggedFailure;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.pipeline.UnstoredAnswer;
import dev.resilience.time.TimeSource;
import org.slf4j.LoggerFactory;

/**
 * The fallback of one method: asked when everything inside it has failed. The log tells of each answer, because the
 * caller cannot see that there was an outage. Safe for use by many threads.
 */
public final class Fallback implements Layer, AutoCloseable {

    private final String name;
    private final FallbackMethod method;
    private final OutcomeCounters<FallbackOutcome> calls;
    private final FoldedLog<FallbackLogEvent> log;

    /**
     * A fallback with the system's time.
     *
     * @param name the protected method: {@code OrderService.place}
     */
    public Fallback(String name, FallbackMethod method) {
        this(name, method, TimeSource.system());
    }

    /**
     * @param name the protected method: {@code OrderService.place}
     * @param time tells how many lines of the log come in a second
     */
    public Fallback(String name, FallbackMethod method, TimeSource time) {
        this(name, method, time, new OutcomeCounters<>(FallbackOutcome.class));
    }

    /**
     * @param name the protected method: {@code OrderService.place}
     * @param time tells how many lines of the log come in a second
     * @param calls counts the answers; one for all methods of a name, which share their series
     */
    public Fallback(String name, FallbackMethod method, TimeSource time, OutcomeCounters<FallbackOutcome> calls) {
        this.name = name;
        this.method = method;
        this.calls = calls;
        this.log = new FoldedLog<>(
                LoggerFactory.getLogger(Fallback.class),
                time,
                "Fallback",
                name,
                "fallback_summary",
                FallbackLogEvent.class);
    }

    public String name() {
        return name;
    }

    /** Calls of the fallback method, or of all that share these counters, by how it did. */
    public OutcomeCounters<FallbackOutcome> calls() {
        return calls;
    }

    /** Writes to the log what it has counted in place of single lines. What is still called works as before. */
    @Override
    public void close() {
        log.close();
    }

    @Override
    public Step around(Step next) {
        return new FallbackStep(this, answer -> answer, next);
    }

    /** The same fallback inside of an idempotent call, which must not store what the fallback answers. */
    public Layer insideIdempotent() {
        return next -> new FallbackStep(this, UnstoredAnswer::new, next);
    }

    FallbackMethod method() {
        return method;
    }

    void answered(Throwable failure) {
        calls.count(FallbackOutcome.SUCCESS);
        log.write(FallbackLogEvent.ANSWERED, failure, line -> {
            LoggedFailure failed = LoggedFailure.of(failure);
            failed.addTo(line).log("Fallback '{}': the fallback method answered for {}", name, failed);
        });
    }

    void failed(Throwable failure, Throwable again) {
        calls.count(FallbackOutcome.FAILURE);
        log.write(FallbackLogEvent.FAILED, again, line -> {
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
