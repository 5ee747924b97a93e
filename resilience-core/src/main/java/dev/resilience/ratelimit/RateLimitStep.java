package dev.resilience.ratelimit;

import dev.resilience.event.RateLimitOutcome;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Takes a permit, waits for the moment from which on it may be used, and runs the rest of the pipeline. An asynchronous call whose
 * permit has to be asked for by blocking does so on a thread of the limit.
 */
final class RateLimitStep extends AsyncStep {

    private final RateLimit limit;

    RateLimitStep(RateLimit limit, Step next) {
        super(next);
        this.limit = limit;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        long wait = limit.acquire(true);
        if (wait > 0) {
            sleep(Duration.ofNanos(wait));
        }
        return next.call(invocation);
    }

    private void sleep(Duration wait) {
        try {
            if (limit.waits.sleep(wait)) {
                limit.reports.accepted.increment();
                return;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        throw limit.waitEnded();
    }

    /** Entered again on a thread where it may block, and after its wait: it holds what the permits answered before. */
    @Override
    protected Next enter(AsyncCall call) throws Throwable {
        if (call.failure() != null) { // it was cancelled meanwhile
            limit.calls().count(RateLimitOutcome.REJECTED);
            throw call.failure();
        }
        Long answered = (Long) call.held();
        if (answered != null && answered > 0) {
            if (limit.waits.isStopped()) {
                throw call.report(limit::waitEnded);
            }
            limit.reports.accepted.increment();
            limit.waits.add(call);
            return Next.INWARD;
        }
        long wait = limit.acquire(answered != null);
        if (wait == 0) {
            return Next.INWARD;
        }
        call.hold(wait);
        return wait == Permits.WOULD_BLOCK
                ? call.goOn(limit.waits::execute, Next.AGAIN)
                : limit.waits.pause(call, Duration.ofNanos(wait));
    }

    @Override
    protected Next exit(AsyncCall call) {
        if (call.held() != null) {
            limit.waits.remove(call);
        }
        return Next.OUTWARD;
    }
}
