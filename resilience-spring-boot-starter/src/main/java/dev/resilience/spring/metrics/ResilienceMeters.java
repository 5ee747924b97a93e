package dev.resilience.spring.metrics;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.CircuitState;
import dev.resilience.event.Events;
import dev.resilience.event.FallbackOutcome;
import dev.resilience.event.Outcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.fallback.Fallback;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.web.DeadlineOutcome;
import dev.resilience.spring.web.IncomingCalls;
import dev.resilience.timelimit.TimeLimit;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.List;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Shows the live objects to Micrometer: the objects count, the meters read. Every series exists from the start, at 0.
 * Only the two timers hear of events, which are rare: waits and retries.
 */
public final class ResilienceMeters implements MeterBinder {

    private final ResilienceRegistry resilience;
    private final Events events;
    private final Runnable resolveMethods;
    private final @Nullable IncomingCalls incomingCalls;

    /**
     * @param incomingCalls what counts the deadlines of requests, in a web application
     * @param resolveMethods makes sure that all protected methods are known, for fallbacks belong to methods
     */
    public ResilienceMeters(
            ResilienceRegistry resilience,
            Events events,
            @Nullable IncomingCalls incomingCalls,
            Runnable resolveMethods) {
        this.resilience = resilience;
        this.incomingCalls = incomingCalls;
        this.events = events;
        this.resolveMethods = resolveMethods;
    }

    @Override
    public void bindTo(MeterRegistry meters) {
        resolveMethods.run();
        resilience.retries().values().forEach(retry -> bind(meters, retry));
        resilience.retryBudgets().values().forEach(budget -> bind(meters, budget));
        resilience.circuitBreakers().values().forEach(breaker -> bind(meters, breaker));
        resilience.bulkheads().values().forEach(bulkhead -> bind(meters, bulkhead));
        resilience.timeLimits().values().forEach(limit -> bind(meters, limit));
        resilience
                .idempotencies()
                .values()
                .forEach(live -> outcomes(meters, "resilience.idempotency.calls", live.name(), live.calls()));
        resilience.fallbacks().values().stream()
                .collect(Collectors.groupingBy(Fallback::name))
                .forEach((name, overloads) -> bind(meters, name, overloads));
        if (incomingCalls != null) {
            bind(meters, incomingCalls);
        }
        events.add(new EventTimers(meters, resilience));
    }

    private static void bind(MeterRegistry meters, IncomingCalls calls) {
        for (DeadlineOutcome outcome : calls.deadlines().outcomes()) {
            FunctionCounter.builder(
                            "resilience.deadline.requests",
                            calls,
                            c -> c.deadlines().get(outcome))
                    .tags("outcome", outcome.label())
                    .register(meters);
        }
    }

    private static void bind(MeterRegistry meters, Retry retry) {
        outcomes(meters, "resilience.retry.calls", retry.name(), retry.calls());
        counter(meters, "resilience.retry.attempts", retry.name(), retry, Retry::attempts);
    }

    private static void bind(MeterRegistry meters, RetryBudget budget) {
        gauge(meters, "resilience.retry.budget.available", budget.name(), budget, RetryBudget::available);
    }

    private static void bind(MeterRegistry meters, CircuitBreaker breaker) {
        String name = breaker.name();
        gauge(meters, "resilience.circuitbreaker.state", name, breaker, ResilienceMeters::number);
        gauge(meters, "resilience.circuitbreaker.failure.rate", name, breaker, CircuitBreaker::failureRate);
        outcomes(meters, "resilience.circuitbreaker.calls", name, breaker.calls());
        counter(meters, "resilience.circuitbreaker.slow.calls", name, breaker, CircuitBreaker::slowCalls);
        for (CircuitState from : CircuitState.values()) {
            for (CircuitState to : CircuitState.values()) {
                if (isPossible(from, to)) {
                    FunctionCounter.builder(
                                    "resilience.circuitbreaker.transitions", breaker, b -> b.transitions(from, to))
                            .tags("name", name, "from", from.label(), "to", to.label())
                            .register(meters);
                }
            }
        }
    }

    private static boolean isPossible(CircuitState from, CircuitState to) {
        return from != to && (to != CircuitState.HALF_OPEN || from == CircuitState.OPEN);
    }

    @SuppressWarnings("EnumOrdinal") // the numbers of the gauge are the order of declaration, and documented so
    private static double number(CircuitBreaker breaker) {
        return breaker.currentState().ordinal();
    }

    private static void bind(MeterRegistry meters, Bulkhead bulkhead) {
        String name = bulkhead.name();
        gauge(meters, "resilience.bulkhead.running", name, bulkhead, Bulkhead::running);
        gauge(meters, "resilience.bulkhead.queued", name, bulkhead, Bulkhead::queued);
        gauge(
                meters,
                "resilience.bulkhead.limit",
                name,
                bulkhead,
                b -> b.policy().maxConcurrent());
        outcomes(meters, "resilience.bulkhead.calls", name, bulkhead.calls());
    }

    private static void bind(MeterRegistry meters, TimeLimit limit) {
        gauge(meters, "resilience.timelimit.workers", limit.name(), limit, TimeLimit::workers);
        outcomes(meters, "resilience.timelimit.calls", limit.name(), limit.calls());
    }

    /** Overloads have one name, and so one series. */
    private void bind(MeterRegistry meters, String name, List<Fallback> overloads) {
        for (FallbackOutcome outcome : FallbackOutcome.values()) {
            FunctionCounter.builder(
                            "resilience.fallback.calls",
                            resilience,
                            live -> overloads.stream()
                                    .mapToLong(fallback -> fallback.calls().get(outcome))
                                    .sum())
                    .tags("name", name, "outcome", outcome.label())
                    .register(meters);
        }
    }

    private static <O extends Enum<O> & Outcome> void outcomes(
            MeterRegistry meters, String meter, String name, OutcomeCounters<O> counters) {
        for (O outcome : counters.outcomes()) {
            FunctionCounter.builder(meter, counters, c -> c.get(outcome))
                    .tags("name", name, "outcome", outcome.label())
                    .register(meters);
        }
    }

    private static <T> void counter(
            MeterRegistry meters, String meter, String name, T live, ToDoubleFunction<T> value) {
        FunctionCounter.builder(meter, live, value).tags("name", name).register(meters);
    }

    private static <T> void gauge(MeterRegistry meters, String meter, String name, T live, ToDoubleFunction<T> value) {
        Gauge.builder(meter, live, value)
                .tags("name", name)
                .strongReference(true)
                .register(meters);
    }
}
