package dev.resilience.simulation;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryBudgetPolicy;
import dev.resilience.retry.SeededRetry;
import dev.resilience.simulation.Scenario.Part;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.DoubleSupplier;
import org.jspecify.annotations.Nullable;

/** A service of the chain: to answer a request it calls the next one, protected by the library. */
final class Service implements Endpoint {

    private static final Duration ON_THE_WIRE = Duration.ofMillis(1);

    private final Scenario scenario;
    private final Endpoint next;
    private final TimeSource time;
    private final Pipeline pipeline;
    private final FaultClassification faults =
            new FaultClassification(failure -> Fault.UNKNOWN, List.of(), List.of(Answer::read));

    Service(String name, Scenario scenario, Endpoint next, TimeSource time, DoubleSupplier random) {
        this.scenario = scenario;
        this.next = next;
        this.time = time;
        RetryBudget budget =
                scenario.has(Part.BUDGET) ? new RetryBudget(name, RetryBudgetPolicy.defaults(), time) : null;
        List<Layer> layers = new ArrayList<>();
        if (scenario.has(Part.BREAKER)) {
            layers.add(new CircuitBreaker(
                    name,
                    CircuitBreakerPolicy.defaults(),
                    new Environment(time, new EventPublisher(), faults, ContextCarrier.standard())));
        }
        layers.add(SeededRetry.of(name, scenario.retry(), faults, time, budget, random));
        this.pipeline = Pipeline.of(layers);
    }

    @Override
    public void answer(Request request, Consumer<Answer> caller) {
        contextOf(request)
                .run(() -> pipeline.<Answer>callAsync(() -> callNext(request.cause()))
                        .handle((ok, failure) -> answerAfter(failure))
                        .thenAccept(caller));
    }

    /** As an adapter takes it from the headers of an incoming request. */
    private static CallContext contextOf(Request request) {
        int number = request.attemptNumber();
        return number < 2
                ? CallContext.NONE
                : new CallContext(null, Attempt.of("the retry of another service", number, null));
    }

    private CompletableFuture<Answer> callNext(UserCall cause) {
        CompletableFuture<Answer> result = new CompletableFuture<>();
        Request request = Request.now(cause);
        time.schedule(
                ON_THE_WIRE,
                () -> next.answer(request, answer -> {
                    if (answer.isOk()) {
                        result.complete(answer);
                    } else {
                        result.completeExceptionally(answer.failure());
                    }
                }));
        return result;
    }

    /** What leaves the controller. */
    private Answer answerAfter(@Nullable Throwable failure) {
        if (failure == null) {
            return Answer.OK;
        }
        boolean says = !scenario.has(Part.WITHOUT_REFUSALS);
        if (failure instanceof CircuitOpenException open) {
            long seconds =
                    Math.max(1, open.retryAfter().plusSeconds(1).minusNanos(1).toSeconds());
            return new Answer(503, Long.toString(seconds), says);
        }
        return new Answer(scenario.has(Part.PASSES_503_ON) ? 503 : 500, null, says && faults.refusesRetry(failure));
    }
}
