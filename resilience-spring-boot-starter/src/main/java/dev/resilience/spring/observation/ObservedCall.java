package dev.resilience.spring.observation;

import dev.resilience.context.CallContext;
import dev.resilience.context.CallObserver;
import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.Occurrence;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.ThrowingSupplier;
import dev.resilience.spring.observation.ObservedMethods.ObservedMethod;
import io.micrometer.observation.Observation;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The observation of one call. It gets what happens to the call, which reaches it on whatever thread, while
 * nothing of other calls does. What handlers throw is logged and does not hurt the call.
 */
final class ObservedCall implements CallObserver, ResilienceListener {

    /** In place of the observer while handlers run: what they call is not observed, because that could go on for ever. */
    static final Object HANDLER = Observation.NOOP;

    private final ObservedMethod method;
    private final Observation observation;
    private final Invocation invocation;
    private final AtomicInteger attempts = new AtomicInteger();
    private volatile String answer = "success"; // what a result is, if there is one
    volatile boolean isCancelled; // by the caller
    private volatile boolean hasEnded; // an idempotent call goes on behind a cancellation

    ObservedCall(ObservedMethod method, Observation observation, Invocation invocation) {
        this.method = method;
        this.observation = observation;
        this.invocation = invocation;
    }

    /** Starts the call on this thread, with the observation as the current one. */
    <T extends @Nullable Object, X extends Throwable> T run(ThrowingSupplier<T, X> call) throws X {
        guarded(observation::start);
        @Nullable Object[] slots = CallContext.ofThread();
        Object observerBefore = slots[CallContext.OBSERVER];
        Observation.Scope before = method.registry().getCurrentObservationScope();
        guarded(observation::openScope);
        Observation.Scope opened = method.registry().getCurrentObservationScope();
        slots[CallContext.OBSERVER] = this;
        try {
            return call.get();
        } finally {
            slots[CallContext.OBSERVER] = observerBefore;
            if (opened != null && opened != before) {
                guarded(opened::close);
            }
            method.registry().setCurrentObservationScope(before); // a handler that throws would leave ours there
        }
    }

    @Override
    public void methodBegins(Object begun) {
        if (begun == invocation) {
            answer = "success";
            happened("attempt", "attempt " + attempts.incrementAndGet());
        }
    }

    @Override
    public void fallbackBegins(Object answered) {
        answer = answered == invocation ? "fallback" : answer;
    }

    @Override
    public void onEvent(ResilienceEvent event) {
        if (event.policyName().equals(method.policies().get(event.kind()))) { // not of a call inside
            boolean isReplay = event instanceof IdempotencyDecided end && end.outcome() == IdempotencyOutcome.REPLAYED;
            answer = isReplay ? "replayed" : answer;
            Occurrence occurrence = Occurrence.of(event);
            if (occurrence != null) {
                happened(occurrence.sort(), event.kind() + " " + event.policyName() + ": " + occurrence.detail());
            }
        }
    }

    private void happened(String name, String contextualName) {
        if (!hasEnded) {
            guarded(() -> observation.event(Observation.Event.of(name, contextualName)));
        }
    }

    /**
     * The call has ended, with the observation current nowhere.
     *
     * @param failure what the caller got; {@code null} for a result
     */
    void ended(@Nullable Throwable failure) {
        hasEnded = true;
        String outcome = failure == null ? answer : outcome(failure);
        observation
                .lowCardinalityKeyValue("outcome", isCancelled ? "cancelled" : outcome)
                .lowCardinalityKeyValue("attempts", attempts.get() > 10 ? "more" : attempts.toString());
        if (failure != null
                && !isCancelled) { // other calls do not have the key, as OpenTelemetry wants it, and so meters cannot
            observation.highCardinalityKeyValue("error.type", failure.getClass().getName());
            guarded(() -> observation.error(failure));
        }
        guarded(observation::stop);
    }

    private static String outcome(Throwable failure) {
        boolean isLate = failure instanceof TimeLimitExceededException || failure instanceof DeadlineExceededException;
        boolean isRefused = failure instanceof ResilienceException && !(failure instanceof RetryExhaustedException);
        String other = isRefused ? "rejected" : "failure";
        return isLate ? "timed_out" : other;
    }

    private void guarded(Runnable action) {
        @Nullable Object[] slots = CallContext.ofThread();
        Object before = slots[CallContext.OBSERVER];
        slots[CallContext.OBSERVER] = HANDLER;
        try {
            action.run();
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            method.log().callbackFailed("a handler of observations", "observations are incomplete", broken);
        } finally {
            slots[CallContext.OBSERVER] = before;
        }
    }
}
