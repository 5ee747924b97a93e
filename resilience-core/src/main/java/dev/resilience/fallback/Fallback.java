package dev.resilience.fallback;

import dev.resilience.event.FallbackOutcome;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Step;
import dev.resilience.pipeline.UnstoredAnswer;
import dev.resilience.time.TimeSource;

/**
 * The fallback of one method: asked when everything inside it has failed. The log tells of each answer, because the
 * caller cannot see that there was an outage. Safe for use by many threads.
 */
public final class Fallback implements Layer, AutoCloseable {

    private final FallbackReport report;
    private final FallbackMethod method;

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
        this(new FallbackReport(name, time), method);
    }

    /**
     * @param report one for all fallbacks of a name, which share its counts and fold their log together
     */
    public Fallback(FallbackReport report, FallbackMethod method) {
        this.report = report;
        this.method = method;
    }

    public String name() {
        return report.name();
    }

    /** Calls of the fallback method, or of all that share the report, by how they ended. */
    public OutcomeCounters<FallbackOutcome> calls() {
        return report.calls();
    }

    /** What counts and logs, which may be shared. */
    public FallbackReport report() {
        return report;
    }

    /** Writes to the log what it has counted in place of single lines. What is still called works as before. */
    @Override
    public void close() {
        report.close();
    }

    @Override
    public Step around(Step next) {
        return new FallbackStep(report, method, answer -> answer, next);
    }

    /** One of this fallback's layers, which leaves the replays of dead letters alone: they are to fail if the method does. */
    public static Layer exceptInReplays(Layer ofFallback) {
        return next -> new UnlessReplayStep(ofFallback.around(next), next);
    }

    /** The same fallback inside of an idempotent call, which must not store what the fallback answers. */
    public Layer insideIdempotent() {
        return next -> new FallbackStep(report, method, UnstoredAnswer::new, next);
    }
}
