package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.Seeds;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.Random;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random histories of calls, retries and reserved retries, against the {@link ReferenceBudget}. */
class BudgetHistoryTests {

    private static final int STEPS = 150;

    @Test
    void theBudgetGoesAsTheReferenceGoes() {
        Seeds.check(seed -> new History(seed, ReferenceBudget::new).run());
    }

    /** Each of them is a budget with one problem; if the histories did not notice it, they would prove nothing. */
    enum Defect {
        A_RETRY_IS_FORGOTTEN_A_SLOT_TOO_EARLY(policy -> new ReferenceBudget(policy) {
            @Override
            double backlog(long from) {
                return super.backlog(from + 1);
            }
        }),
        A_RETRY_PAYS_LIKE_A_CALL(policy -> new ReferenceBudget(policy) {
            @Override
            boolean tryAcquire(long slot) {
                boolean granted = super.tryAcquire(slot);
                if (granted) {
                    firstAttemptEnded();
                }
                return granted;
            }
        });

        @SuppressWarnings("ImmutableEnumChecker") // a constructor
        final Function<RetryBudgetPolicy, ReferenceBudget> model;

        Defect(Function<RetryBudgetPolicy, ReferenceBudget> model) {
            this.model = model;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBudgetWithAProblemIsFound(Defect defect) {
        assertThat(Seeds.find(seed -> new History(seed, defect.model).run())).isTrue();
    }

    /** One random step after the other, made by a real budget and by the reference. */
    private static final class History {

        private final Random random;
        private final ManualTimeSource time = new ManualTimeSource();
        private final long start = time.nanoTime();
        private final RetryBudgetPolicy policy;
        private final RetryBudget real;
        private final ReferenceBudget reference;

        History(long seed, Function<RetryBudgetPolicy, ReferenceBudget> model) {
            this.random = Seeds.random(seed);
            double ratio = random.nextBoolean() ? 0 : new double[] {0.05, 0.1, 0.5, 1}[random.nextInt(4)];
            this.policy =
                    new RetryBudgetPolicy(ratio, Duration.ofSeconds(1 + random.nextInt(4)), 1 + random.nextInt(5));
            this.real = new RetryBudget("orders", policy, time);
            this.reference = model.apply(policy);
        }

        void run() {
            for (int step = 0; step < STEPS; step++) {
                step(step);
            }
        }

        private void step(int step) {
            switch (random.nextInt(5)) {
                case 0 -> time.advance(Duration.ofMillis(random.nextInt(random.nextInt(8) == 0 ? 8_000 : 200)));
                case 1, 2 -> {
                    real.firstAttemptEnded();
                    reference.firstAttemptEnded();
                }
                default -> same(step, "a retry", real.tryAcquire(), reference.tryAcquire(slot()));
            }
            assertThat(real.available()).as("available after step %s", step).isEqualTo(reference.available(slot()));
        }

        private long slot() {
            return (time.nanoTime() - start) / ((policy.window().toNanos() - 1) / ReferenceBudget.SLOTS + 1);
        }

        private static void same(int step, String what, boolean real, boolean reference) {
            assertThat(real).as("%s in step %s", what, step).isEqualTo(reference);
        }
    }
}
