package dev.resilience.retry;

import dev.resilience.concurrency.Interleaved;
import dev.resilience.concurrency.Interleavings;
import dev.resilience.concurrency.StubTime;
import dev.resilience.concurrency.WithoutLog;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.extension.ExtendWith;

/** Policies are changed while calls are made. */
@ExtendWith(WithoutLog.class)
class ReconfiguredRetryInterleavingTests {

    @Interleaved
    void aCallGoesByOnePolicyFromItsBeginningToItsEnd(Interleavings mode) {
        RetryPolicy twice = policy(2, 0);
        RetryPolicy fourTimes = policy(4, 1);
        initialiseClasses(twice);
        mode.explore(threads -> {
            SleepingTime time = new SleepingTime();
            Retry retry = retryAlways(twice, time);
            AtomicInteger attempts = new AtomicInteger();

            threads.run(() -> callInVain(retry, attempts), () -> retry.reconfigure(fourTimes));

            long waited = time.slept().toSeconds();
            boolean isOfOnePolicy = waited == (attempts.get() == 2 ? 0 : 3);
            if ((attempts.get() != 2 && attempts.get() != 4) || !isOfOnePolicy) {
                throw new AssertionError(attempts + " attempts over " + waited + " s are those of neither policy");
            }
        });
    }

    /** Their initialisers are not what is explored, and some of them wait. */
    private static void initialiseClasses(RetryPolicy policy) {
        Retry retry = retryAlways(policy, new SleepingTime());
        callInVain(retry, new AtomicInteger());
        retry.reconfigure(policy);
    }

    private static Retry retryAlways(RetryPolicy policy, TimeSource time) {
        return RetryBuilder.retry("changing", policy).timeSource(time).build();
    }

    /** Without the classifier, which looks classes up by their identity hash codes: the model checker replaces those. */
    private static RetryPolicy policy(int attempts, int secondsBetween) {
        return RetryPolicy.builder()
                .maxAttempts(attempts)
                .retryIf(failure -> true)
                .backoff(Backoff.fixed(Duration.ofSeconds(secondsBetween)))
                .build();
    }

    private static void callInVain(Retry retry, AtomicInteger attempts) {
        try {
            Pipeline.of(retry).invoke(() -> {
                attempts.incrementAndGet();
                throw new ConnectException();
            });
        } catch (Throwable expected) {
            // it has no other end
        }
    }

    /** In which sleeping takes no time. */
    private static final class SleepingTime extends StubTime {

        Duration slept() {
            return Duration.ofNanos(nanoTime());
        }

        @Override
        public void sleep(Duration duration) {
            advance(duration.toNanos());
        }
    }

    @Interleaved
    void aBudgetThatIsChangedLosesNoRetryAndGrantsNoneTwice(Interleavings mode) {
        mode.linearizable(ChangingBudget.class, OneOrThree.class);
    }

    /** While time stands still. */
    public static class ChangingBudget {

        private final RetryBudget budget = new RetryBudget("test", allowing(1), new StubTime());

        private static RetryBudgetPolicy allowing(int retries) {
            return new RetryBudgetPolicy(0, Duration.ofSeconds(1), retries);
        }

        @Operation
        public boolean tryAcquire() {
            return budget.tryAcquire();
        }

        @Operation
        public void allowThree() {
            budget.reconfigure(allowing(3));
        }

        @Operation
        public void allowOne() {
            budget.reconfigure(allowing(1));
        }
    }

    /** The specification. */
    public static class OneOrThree {

        private int allowed = 1;
        private int made;

        public boolean tryAcquire() {
            if (made >= allowed) {
                return false;
            }
            made++;
            return true;
        }

        public void allowThree() {
            allowed = 3;
        }

        public void allowOne() {
            allowed = 1;
        }
    }
}
