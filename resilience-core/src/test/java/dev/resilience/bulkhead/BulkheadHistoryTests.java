package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.Seeds;
import dev.resilience.concurrency.WithoutLog;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Random histories of asynchronous calls, cancellations, deadlines and new limits, against the {@link ReferenceBulkhead}. */
@ExtendWith(WithoutLog.class)
class BulkheadHistoryTests {

    @Test
    void theBulkheadGoesAsTheReferenceGoes() {
        Seeds.check(seed -> new BulkheadHistory(seed, ReferenceBulkhead::new).run());
    }

    /** Each of them is a bulkhead with one problem; if the histories did not notice it, they would prove nothing. */
    enum Defect {
        THE_LAST_IS_SERVED_FIRST(policy -> new ReferenceBulkhead(policy) {
            @Override
            int next() {
                return queue.size() - 1;
            }
        }),
        WAITERS_STAY_PAST_THEIR_TIME(policy -> new ReferenceBulkhead(policy) {
            @Override
            boolean isOver(Waiting waiting, long now) {
                return waiting.until() < now;
            }
        }),
        A_CANCELLED_CALL_KEEPS_ITS_PLACE_IN_THE_QUEUE(policy -> new ReferenceBulkhead(policy) {
            @Override
            void end(int call) {
                if (running.contains(call)) {
                    super.end(call);
                }
            }
        }),
        A_HIGHER_LIMIT_LETS_NO_WAITER_IN(policy -> new ReferenceBulkhead(policy) {
            @Override
            void reconfigure(BulkheadPolicy changed) {
                int waiting = queue.size();
                super.reconfigure(changed);
                running.subList(running.size() - (waiting - queue.size()), running.size())
                        .clear();
            }
        });

        @SuppressWarnings("ImmutableEnumChecker") // a constructor
        final Function<BulkheadPolicy, ReferenceBulkhead> model;

        Defect(Function<BulkheadPolicy, ReferenceBulkhead> model) {
            this.model = model;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aBulkheadWithAProblemIsFound(Defect defect) {
        assertThat(Seeds.find(seed -> new BulkheadHistory(seed, defect.model).run()))
                .isTrue();
    }
}
