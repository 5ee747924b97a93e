package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.event.EventPublisher;
import dev.resilience.event.RetryOutcome;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.HttpFailure;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * Interrupts the thread of a call at every point at which the retry leaves its own code: at every look at the clock,
 * every question to a classifier, a header reader or a rule for results, every event, every random number, and before,
 * in and after every attempt and wait.
 */
class InterruptAtEveryPointTests {

    private static final int ATTEMPTS = 4;

    @AfterEach
    void clearTheFlag() {
        Thread.interrupted();
    }

    @Test
    void thereAreMany() {
        Call undisturbed = new Call(-1);
        undisturbed.run();

        assertThat(undisturbed.attempts).isEqualTo(ATTEMPTS);
        assertThat(undisturbed.points)
                .hasSizeGreaterThan(40)
                .contains("body", "classifier", "reader", "listener", "random", "sleep", "nanoTime", "now");
    }

    @TestFactory
    Stream<DynamicTest> atEachOfThemTheRetryingEnds() {
        Call undisturbed = new Call(-1);
        undisturbed.run();
        return IntStream.range(0, undisturbed.points.size())
                .mapToObj(point ->
                        DynamicTest.dynamicTest(point + " " + undisturbed.points.get(point), () -> interruptAt(point)));
    }

    private static void interruptAt(int point) {
        Call call = new Call(point);

        Throwable seen = call.run();

        assertThat(Thread.interrupted()).as("the flag is kept").isTrue();
        assertThat(seen).as("the last failure").isSameAs(call.lastFailure);
        // in the gap between a wait and its attempt nobody looks any more; that attempt is the last one
        int allowed = call.interruptedBetweenWaitAndAttempt ? 1 : 0;
        assertThat(call.attempts - call.attemptsBefore)
                .as("attempts that began after the interrupt")
                .isLessThanOrEqualTo(allowed);
        boolean wasTheLastAnyway = call.attempts == ATTEMPTS;
        if (!wasTheLastAnyway) {
            assertThat(RetryBench.counted(call.retry)).containsOnlyKeys(RetryOutcome.INTERRUPTED);
        }
    }

    /** One call of a method that always fails, and the points at which it can be interrupted. */
    private static final class Call {

        final List<String> points = new ArrayList<>();
        final Retry retry;
        int attempts;
        int attemptsBefore;
        boolean interruptedBetweenWaitAndAttempt;
        Throwable lastFailure = new AssertionError("not called");

        private final int interruptAt;
        private boolean waitIsOver = true; // before the first attempt there is none

        Call(int interruptAt) {
            this.interruptAt = interruptAt;
            TimeSource time = watched(new ManualTimeSource());
            EventPublisher events = new EventPublisher();
            events.add(event -> point("listener"));
            FaultClassification faults = new FaultClassification(
                    failure -> {
                        point("classifier");
                        return Fault.UNKNOWN;
                    },
                    List.of(),
                    List.of(failure -> {
                        point("reader");
                        return failure instanceof ConnectException ? new HttpFailure(503, "1") : null;
                    }));
            RetryPolicy policy = RetryPolicy.builder()
                    .maxAttempts(ATTEMPTS)
                    .maxDuration(Duration.ofDays(1))
                    .build();
            RetryBudget budget = new RetryBudget("orders", RetryBudgetPolicy.defaults(), time);
            retry = RetryBuilder.retry("orders", policy)
                    .faults(faults)
                    .timeSource(time)
                    .events(events)
                    .budget(budget)
                    .random(() -> {
                        point("random");
                        return 0.5;
                    })
                    .build();
        }

        Throwable run() {
            return catchThrowable(() -> Pipeline.of(retry).call(() -> {
                attempts++;
                point("body");
                waitIsOver = false;
                lastFailure = new ConnectException("attempt " + attempts);
                throw (ConnectException) lastFailure;
            }));
        }

        private void point(String name) {
            if (points.size() == interruptAt) {
                attemptsBefore = attempts;
                interruptedBetweenWaitAndAttempt = waitIsOver && !name.equals("body");
                Thread.currentThread().interrupt();
            }
            points.add(name);
        }

        private TimeSource watched(ManualTimeSource time) {
            return (TimeSource) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {TimeSource.class}, (proxy, method, arguments) -> {
                        if (retry != null) { // not for those who are being made
                            point(method.getName());
                        }
                        try {
                            return method.invoke(time, arguments);
                        } catch (InvocationTargetException failed) {
                            throw failed.getCause();
                        } finally {
                            waitIsOver |= method.getName().equals("sleep");
                        }
                    });
        }
    }
}
