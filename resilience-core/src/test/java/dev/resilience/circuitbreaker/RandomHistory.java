package dev.resilience.circuitbreaker;

import dev.resilience.circuitbreaker.ReferenceBreaker.Call;
import dev.resilience.concurrency.Seeds;
import dev.resilience.event.CircuitBreakerOutcome;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One random step after the other, made by a real breaker and by the reference, which are compared after each. */
final class RandomHistory {

    private static final int MOST_UNDER_WAY = 12;
    private static final int DEEPEST = 3;
    private static final long WELL_OR_ILL = Duration.ofMinutes(3).toNanos();
    private static final CircuitBreakerOutcome[] OUTCOMES = CircuitBreakerOutcome.values();
    private static final Ending[] UNUSUAL = {
        Ending.TIMEOUT,
        Ending.PERMANENT_FAULT,
        Ending.REFUSAL_BY_AN_INNER_LAYER,
        Ending.ERROR,
        Ending.INTERRUPT,
        Ending.CANCELLATION
    };

    private final Random random;
    private final RandomPolicies policies;
    private final TestBreaker real;
    private final Pipeline pipeline;
    private final ReferenceBreaker reference;
    private final List<UnderWay> underWay = new ArrayList<>();
    private final Map<String, Integer> seen = new TreeMap<>();
    private int steps;
    private int depth;

    RandomHistory(long seed) {
        this(seed, ReferenceBreaker::new);
    }

    /** @param model makes the reference, or one with a planted defect */
    RandomHistory(long seed, Model model) {
        this.random = Seeds.random(seed);
        this.policies = new RandomPolicies(random);
        CircuitBreakerPolicy policy = policies.next();
        this.real = new TestBreaker(CallMode.BLOCKING, policy);
        this.pipeline = Pipeline.of(real.breaker);
        this.reference = model.of(policy, now());
    }

    interface Model {
        ReferenceBreaker of(CircuitBreakerPolicy policy, long now);
    }

    private record UnderWay(CompletableFuture<String> body, CompletableFuture<String> answer, Call call) {}

    int steps() {
        return steps;
    }

    /** How often each transition, ending and action was part of it. */
    Map<String, Integer> seen() {
        return seen;
    }

    void step() {
        int action = random.nextInt(1000);
        if (action < shareOfOperations()) {
            operate();
        } else if (action < (reference.state == CircuitState.OPEN ? 600 : 150)) {
            letTimePass();
        } else if (action < 250 && depth < DEEPEST) {
            callAndWait();
        } else if (underWay.isEmpty() || (underWay.size() < MOST_UNDER_WAY && random.nextInt(100) < 50)) {
            start();
        } else {
            end(underWay.remove(random.nextInt(underWay.size())));
        }
        compare();
    }

    /** In thousandths; states that only an operator ends are none to stay in for long. */
    private int shareOfOperations() {
        return switch (reference.state) {
            case FORCED_OPEN, DISABLED, METRICS_ONLY -> 60;
            case OPEN -> 2;
            default -> 4;
        };
    }

    private void start() {
        CompletableFuture<String> body = new CompletableFuture<>();
        Call expected = reference.admit(now());
        CompletableFuture<String> answer = pipeline.callAsync(() -> body);
        if (expected == null) {
            compareRefusal(failureOf(answer));
            return;
        }
        check(!answer.isDone(), "a call that was let in");
        underWay.add(new UnderWay(body, answer, expected));
    }

    private void end(UnderWay call) {
        Ending ending = ending();
        expectEnd(call.call, ending);
        if (ending.failure != null) {
            call.body.completeExceptionally(ending.failure);
            check(failureOf(call.answer) == ending.failure, "the call's own failure");
        } else if (ending.result != null) {
            call.body.complete(ending.result);
        } else if (random.nextBoolean()) {
            call.answer.cancel(true);
        } else {
            call.answer.complete("the caller knows better");
        }
        check(call.answer.isDone(), "an answer");
    }

    /** A blocking call, or one whose body ends before it returns its future, during which other things happen. */
    private void callAndWait() {
        Call expected = reference.admit(now());
        Ending ending;
        do {
            ending = ending();
        } while (ending == Ending.CANCELLATION);
        Throwable failure = random.nextBoolean() ? blocking(expected, ending) : throwing(expected, ending);
        if (expected == null) {
            compareRefusal(failure);
        } else {
            check(failure == ending.failure, "the call's own failure");
        }
    }

    private @Nullable Throwable blocking(@Nullable Call expected, Ending ending) {
        try {
            Object result = pipeline.invoke(() -> body(expected, ending));
            check(result == ending.result, "the call's own result");
            return null;
        } catch (Throwable failure) {
            return failure;
        }
    }

    private @Nullable Throwable throwing(@Nullable Call expected, Ending ending) {
        Throwable failure =
                failureOf(pipeline.invokeAsync(() -> CompletableFuture.completedFuture(body(expected, ending))));
        Thread.interrupted(); // which an asynchronous body's InterruptedException leaves to its caller's thread
        return failure;
    }

    private String body(@Nullable Call expected, Ending ending) throws Throwable {
        check(expected != null, "a refusal");
        depth++;
        for (int inner = random.nextInt(4); inner > 0; inner--) {
            step();
        }
        depth--;
        expectEnd(expected, ending);
        if (ending.failure != null) {
            throw ending.failure;
        }
        return String.valueOf(ending.result);
    }

    private void expectEnd(Call call, Ending ending) {
        saw(ending.name());
        reference.end(call, ending.under(call.policy()), now());
    }

    /** There are long phases in which the callee is well or ill. */
    private Ending ending() {
        boolean ill = now() / WELL_OR_ILL % 2 == 1;
        int dice = random.nextInt(100);
        if (dice < 15) {
            return UNUSUAL[random.nextInt(UNUSUAL.length)];
        }
        if (dice < (ill ? 70 : 30)) {
            return random.nextInt(4) == 0 ? Ending.BAD_RESULT : Ending.FAILURE;
        }
        return Ending.SUCCESS;
    }

    private void operate() {
        switch (random.nextInt(14)) {
            case 0 -> {
                reference.operate(CircuitState.FORCED_OPEN, now());
                real.breaker.forceOpen();
            }
            case 1 -> {
                reference.operate(CircuitState.DISABLED, now());
                real.breaker.disable();
            }
            case 2, 3 -> {
                reference.operate(reference.policy.initialState(), now());
                real.breaker.reset();
            }
            case 4, 5 -> {
                reference.operate(CircuitState.CLOSED, now());
                real.breaker.close();
            }
            case 6 -> {
                saw("opened by hand while " + reference.state);
                reference.operate(CircuitState.OPEN, now());
                real.breaker.open();
            }
            case 7 -> {
                saw("half-opened by hand while " + reference.state);
                reference.operate(CircuitState.HALF_OPEN, now());
                real.breaker.halfOpen();
            }
            case 8 -> {
                saw("set to metrics-only by hand while " + reference.state);
                reference.operate(CircuitState.METRICS_ONLY, now());
                real.breaker.metricsOnly();
            }
            default -> {
                saw("reconfigured while " + reference.state);
                CircuitBreakerPolicy policy =
                        random.nextBoolean() ? policies.next() : policies.nextThatOpensAs(reference.policy);
                reference.reconfigure(policy, now());
                real.breaker.reconfigure(policy);
            }
        }
    }

    /** By short steps, and by steps that end just before, at and after a limit; the wall clock jumps besides. */
    private void letTimePass() {
        if (random.nextInt(10) < 6) {
            real.time.advance(Duration.ofMillis(random.nextInt(1500)));
            return;
        }
        CircuitBreakerPolicy policy = reference.policy;
        Duration slow = policy.slowCallDuration();
        Duration limit = switch (random.nextInt(6)) {
            case 0 -> Duration.ofNanos(Math.max(1, reference.openNanosLeft(now())));
            case 1 -> policy.halfOpen().probeTimeout();
            case 2 -> policy.window().duration();
            case 3 -> policy.window().duration().dividedBy(20);
            case 4 -> Duration.ofSeconds(1);
            default -> slow == null ? Duration.ofSeconds(2) : slow;
        };
        real.time.advance(limit.plusNanos(random.nextInt(3) - 1));
        real.time.shiftWallClock(Duration.ofHours(random.nextInt(3) - 1));
    }

    private long now() {
        return real.time.nanoTime();
    }

    private void saw(String what) {
        seen.merge(what, 1, Integer::sum);
    }

    private static @Nullable Throwable failureOf(CompletableFuture<?> answer) {
        return answer.handle((result, failure) -> failure).getNow(null);
    }

    private void compareRefusal(@Nullable Throwable failure) {
        Duration wait = switch (reference.state) {
            case OPEN -> Duration.ofNanos(Math.max(1_000_000, reference.openNanosLeft(now())));
            case FORCED_OPEN -> reference.policy.openDuration();
            default -> Duration.ofSeconds(1);
        };
        check(
                failure instanceof CircuitOpenException refusal
                        && refusal.retryAfter().equals(wait),
                "a refusal for " + wait + ", not " + failure);
    }

    private void compare() {
        steps++;
        check(real.breaker.currentState() == reference.state, "state " + reference.state);
        check(real.breaker.policy().equals(reference.policy), "the policy of now");
        check(real.breaker.slowCalls() == reference.slowCalls, "other slow calls");
        for (CircuitBreakerOutcome outcome : OUTCOMES) {
            int expected = reference.calls.getOrDefault(outcome, 0);
            check(real.breaker.calls().get(outcome) == expected, expected + " calls as " + outcome);
        }
        if (reference.state == CircuitState.CLOSED || reference.state == CircuitState.METRICS_ONLY) {
            double rate = reference.window.failureRate(now());
            check(Double.compare(real.breaker.failureRate(), rate) == 0, "rate " + rate);
        }
        compareProbing();
        compareNews();
    }

    private void compareProbing() {
        CircuitBreakerStatus status = real.breaker.status();
        boolean open = reference.state == CircuitState.OPEN
                || reference.state == CircuitState.HALF_OPEN
                || reference.state == CircuitState.FORCED_OPEN;
        check(status.failedProbes() == (open ? reference.failedProbings : 0), "another number of failed probings");
        CircuitBreakerStatus.Probing probing = status.probing();
        check((probing != null) == (reference.state == CircuitState.HALF_OPEN), "probes while half-open");
        if (probing != null) {
            long inFlight = reference.probes.stream()
                    .filter(probe -> !reference.isLate(probe, now()))
                    .count();
            check(probing.inFlight() == inFlight, inFlight + " probes");
            check(probing.succeeded() == reference.successes, reference.successes + " probes that succeeded");
        }
    }

    private void compareNews() {
        List<String> expected = reference.news;
        check(real.events.size() == expected.size(), "other events");
        for (int i = 0; i < expected.size(); i++) {
            check(news(real.events.get(i)).equals(expected.get(i)), "other events");
            saw(expected.get(i));
        }
        expected.clear();
        real.events.clear();
    }

    private static String news(ResilienceEvent event) {
        return event instanceof CircuitStateChanged changed ? changed.from() + " to " + changed.to() : "rejected";
    }

    private void check(boolean asExpected, String expected) {
        if (!asExpected) {
            throw new AssertionError("After step %d, expected %s: %s, %s, slow %d, rate %s, %s; by %s"
                    .formatted(
                            steps,
                            expected,
                            real.breaker.currentState(),
                            real.breaker.calls().total(),
                            real.breaker.slowCalls(),
                            real.breaker.failureRate(),
                            real.events,
                            reference.policy));
        }
    }
}
