package dev.resilience.ratelimit;

import dev.resilience.event.RateLimitOutcome;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.KeyedObjects.Held;
import dev.resilience.pipeline.Step;
import java.time.Duration;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Takes a permit, waits for the moment from which on it may be used, and runs the rest of the pipeline. An asynchronous call whose
 * permit has to be asked for by blocking does so on a thread of the limit.
 */
final class RateLimitStep extends AsyncStep {

    private static final Duration SOON = Duration.ofSeconds(1);

    private final RateLimit limit;
    private final @Nullable Function<Invocation, Held<RateLimit>> ofKey;

    /** @param ofKey holds the limit of a call; {@code null} if all calls share the one */
    RateLimitStep(RateLimit limit, @Nullable Function<Invocation, Held<RateLimit>> ofKey, Step next) {
        super(next);
        this.limit = limit;
        this.ofKey = ofKey;
    }

    /** The limit of a key is held meanwhile: it must not be forgotten between the look-up and the permit. */
    private long acquire(Invocation invocation, boolean mayBlock) {
        if (ofKey == null) {
            return limit.acquire(mayBlock);
        }
        Held<RateLimit> held = ofKey.apply(invocation);
        try {
            return held.live().acquire(mayBlock);
        } finally {
            held.release();
        }
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        long wait = acquire(invocation, true);
        if (wait > 0) {
            sleep(Duration.ofNanos(wait));
        }
        return next.call(invocation);
    }

    private void sleep(Duration wait) {
        try {
            if (!limit.waits.sleep(wait)) {
                throw stopped();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw limit.reports.rejected(limit.policy(), RateLimitReports.INTERRUPTED, SOON);
        }
        limit.calls().count(RateLimitOutcome.ACCEPTED);
    }

    private RateLimitExceededException stopped() {
        return limit.reports.rejected(limit.policy(), RateLimitReports.STOPPED, SOON);
    }

    /** Where a call is on its way to its permit. */
    private enum Phase {
        ASKS,
        WAITS,
        RUNS
    }

    /** Entered again on a thread where it may block, and after its wait. */
    @Override
    protected Next enter(AsyncCall call) throws Throwable {
        if (call.failure() != null) { // it was cancelled meanwhile
            limit.reports.leftWithoutPermit();
            throw call.failure();
        }
        if (call.held() == Phase.WAITS) {
            if (limit.waits.isStopped()) {
                throw call.report(this::stopped);
            }
            limit.calls().count(RateLimitOutcome.ACCEPTED);
            call.hold(Phase.RUNS);
            limit.waits.add(call);
            return Next.INWARD;
        }
        long wait = acquire(call.invocation(), call.held() == Phase.ASKS);
        if (wait == 0) {
            return Next.INWARD;
        }
        if (wait == Permits.WOULD_BLOCK) {
            call.hold(Phase.ASKS);
            return call.goOn(limit.waits::execute, Next.AGAIN);
        }
        call.hold(Phase.WAITS);
        return limit.waits.pause(call, Duration.ofNanos(wait));
    }

    @Override
    protected Next exit(AsyncCall call) {
        if (call.held() == Phase.RUNS) {
            limit.waits.remove(call);
        }
        return Next.OUTWARD;
    }
}
