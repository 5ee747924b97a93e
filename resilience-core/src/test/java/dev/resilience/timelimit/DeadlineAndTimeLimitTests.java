package dev.resilience.timelimit;

import static dev.resilience.timelimit.TestTimeLimit.TIMEOUT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.context.Deadline;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(RunsOn.class)
class DeadlineAndTimeLimitTests {

    private final TestTimeLimit calls;

    DeadlineAndTimeLimitTests(RunsOn thread) {
        this.calls = new TestTimeLimit(thread);
    }

    @Test
    void aCallTakesNoLongerThanItsDeadline() {
        CountDownLatch running = new CountDownLatch(1);
        Call call = TestTimeLimit.startThread(() -> in(Duration.ofSeconds(2))
                .call(() -> calls.pipeline.call(() -> {
                    running.countDown();
                    return TestTimeLimit.blocked();
                })));
        TestTimeLimit.soon(() -> running.getCount() == 0);

        calls.time.advance(Duration.ofSeconds(2));

        assertThat(call.end().failure())
                .isInstanceOf(TimeLimitExceededException.class)
                .hasMessage("Time limit 'orders' exceeded: the call took longer than 2 s, "
                        + "which was what its deadline left");
        calls.assertCounted(0, 1);
    }

    @Test
    void aLongDeadlineMakesNoCallLonger() {
        CountDownLatch running = new CountDownLatch(1);
        Call call = TestTimeLimit.startThread(() -> in(Duration.ofHours(2))
                .call(() -> calls.pipeline.call(() -> {
                    running.countDown();
                    return TestTimeLimit.blocked();
                })));
        TestTimeLimit.soon(() -> running.getCount() == 0);

        calls.time.advance(TIMEOUT);

        assertThat(call.end().failure()).hasMessageEndingWith("longer than 5 s");
    }

    @Test
    void anAsynchronousCallTakesNoLongerEither() throws Exception {
        CompletableFuture<String> answer =
                in(Duration.ofSeconds(2)).call(() -> calls.pipeline.callAsync(() -> new CompletableFuture<String>()));

        calls.time.advance(Duration.ofSeconds(2));

        TestTimeLimit.soon(answer::isDone);
        assertThatThrownBy(answer::get).hasCauseInstanceOf(TimeLimitExceededException.class);
    }

    @Test
    void aCallThatHasNoTimeLeftIsNotMade() throws Exception {
        in(Duration.ZERO).call(() -> {
            assertThatThrownBy(() -> calls.pipeline.call(() -> "never")).isInstanceOf(DeadlineExceededException.class);
            assertThatThrownBy(calls.pipeline.callAsync(() -> CompletableFuture.completedFuture("never"))::get)
                    .hasCauseInstanceOf(DeadlineExceededException.class);
            return null;
        });
        calls.assertCounted(0, 0);
    }

    @Test
    void theBodyKnowsItsDeadline() throws Exception {
        Deadline deadline = in(Duration.ofSeconds(2));

        assertThat(deadline.<Deadline>call(() -> calls.pipeline.call(Deadline::current)))
                .isSameAs(deadline);
        assertThat(deadline.call(
                        () -> calls.pipeline.callAsync(() -> CompletableFuture.completedFuture(Deadline.current()))))
                .succeedsWithin(Duration.ofSeconds(30))
                .isSameAs(deadline);
        assertThat(calls.pipeline.<Deadline, Exception>call(Deadline::current)).isNull();
    }

    private Deadline in(Duration left) {
        return Deadline.in(left, calls.time);
    }
}
