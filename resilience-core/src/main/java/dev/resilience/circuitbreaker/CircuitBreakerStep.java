package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.HalfOpenState.Probe;
import dev.resilience.circuitbreaker.State.Permit;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.pipeline.AsyncStep;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Step;
import java.util.Objects;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** Asks for a permit, runs the rest of the pipeline, and gives the permit back with how that ended. */
final class CircuitBreakerStep extends AsyncStep {

    private final CircuitBreaker breaker;

    CircuitBreakerStep(CircuitBreaker breaker, Step next) {
        super(next);
        this.breaker = breaker;
    }

    @Override
    public @Nullable Object call(Invocation invocation) throws Throwable {
        Permit permit = breaker.admit();
        long start = startNanos(permit);
        Object result;
        try {
            result = next.call(invocation);
        } catch (Throwable failure) {
            failed(permit, start, failure);
            throw failure;
        }
        answered(permit, start, result);
        return result;
    }

    @Override
    protected Next enter(AsyncCall call) {
        Permit permit = breaker.admit();
        long start = startNanos(permit);
        call.hold(start == 0 ? permit : new TimedPermit(permit, start));
        if (permit instanceof Probe) { // of a stream that may never end
            call.invocation().beforeNextElement(() -> permit.succeeded(nanosSince(permit, start)));
        }
        return Next.INWARD;
    }

    @Override
    protected Next exit(AsyncCall call) {
        Object held = Objects.requireNonNull(call.held());
        boolean isTimed = held instanceof TimedPermit;
        Permit permit = isTimed ? ((TimedPermit) held).permit : (Permit) held;
        long start = isTimed ? ((TimedPermit) held).start : 0;
        Throwable failure = call.failure();
        if (failure == null && call.invocation().hasEmitted()) {
            permit.succeeded(nanosSince(permit, start)); // the caller has the result in parts: none is there to judge
        } else if (failure == null) {
            answered(permit, start, call.result());
        } else if (call.isOver()) {
            permit.ignored();
        } else {
            failed(permit, start, failure);
        }
        return Next.OUTWARD;
    }

    /** The permit of a call whose duration matters. */
    private record TimedPermit(Permit permit, long start) {}

    private void answered(Permit permit, long start, @Nullable Object result) {
        long nanos = nanosSince(permit, start);
        Predicate<@Nullable Object> rule = permit.settings().policy().recordOnResult();
        if (rule != null
                && breaker.reports.log().asks(rule, result, "record-on-result", "the call counts as a success")) {
            permit.failed(nanos, null);
        } else {
            permit.succeeded(nanos);
        }
    }

    private void failed(Permit permit, long start, Throwable failure) {
        if (permit.settings().countsAsFailure(failure, breaker.faults)) {
            permit.failed(nanosSince(permit, start), failure);
        } else {
            permit.ignored();
        }
    }

    /** The start of a call, or 0 where its policy does not want to know how long it takes. */
    private long startNanos(Permit permit) {
        return permit.settings().timeCalls() ? breaker.time.nanoTime() : 0;
    }

    private long nanosSince(Permit permit, long start) {
        return permit.settings().timeCalls() ? breaker.time.nanoTime() - start : 0;
    }
}
