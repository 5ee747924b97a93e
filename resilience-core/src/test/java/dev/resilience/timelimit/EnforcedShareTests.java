package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.Deadline;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TestTimeLimit.Ended;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How one tries a time limit before it bites: {@code enforce} is the share of late calls that is really ended. */
class EnforcedShareTests {

    @ParameterizedTest
    @EnumSource
    void aLateCallGoesOnAndItsResultIsReturned(RunsOn thread) {
        TestTimeLimit calls = notEnforced(thread);
        CountDownLatch end = new CountDownLatch(1);
        Call call = calls.startAndAwait(() -> {
            end.await();
            return "late";
        });

        calls.timeIsOver();

        TestTimeLimit.soon(() -> wouldReject(calls) == 1); // counted then, though it may never end
        end.countDown();
        assertThat(call.end()).isEqualTo(new Ended("late", null, false));
        calls.assertCounted(0, 0);
        assertThat(wouldReject(calls)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aLateStageGoesOnAndItsResultIsReturned(RunsOn thread) {
        TestTimeLimit calls = notEnforced(thread);
        CompletableFuture<String> body = new CompletableFuture<>();
        CompletableFuture<String> answer = calls.pipeline.callAsync(() -> body);
        TestTimeLimit.soon(() -> body.getNumberOfDependents() > 0);

        calls.timeIsOver();
        assertThat(answer).isNotDone();
        body.complete("late");

        assertThat(answer).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("late");
        calls.assertCounted(0, 0);
        assertThat(wouldReject(calls)).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void aCallThatEndsInTimeIsCountedSo(RunsOn thread) throws Throwable {
        TestTimeLimit calls = notEnforced(thread);

        calls.pipeline.call(() -> "ok");
        calls.timeIsOver();

        calls.assertCounted(1, 0);
        assertThat(wouldReject(calls)).isZero();
    }

    @ParameterizedTest
    @EnumSource
    void aDeadlineEndsCallsAllTheSame(RunsOn thread) {
        TestTimeLimit calls = notEnforced(thread);
        CountDownLatch begun = new CountDownLatch(1);
        Call call = TestTimeLimit.startThread(() -> {
            Deadline.makeCurrent(Deadline.in(Duration.ofSeconds(1), calls.time));
            return calls.pipeline.call(() -> {
                begun.countDown();
                return TestTimeLimit.blocked();
            });
        });
        TestTimeLimit.soon(() -> begun.getCount() == 0);

        calls.time.advance(Duration.ofSeconds(1));

        assertThat(call.end().failure()).isInstanceOf(TimeLimitExceededException.class);
        calls.assertCounted(0, 1);
    }

    private static TestTimeLimit notEnforced(RunsOn thread) {
        TestTimeLimit calls = new TestTimeLimit(thread);
        calls.limit.reconfigure(new TimeLimitPolicy(TestTimeLimit.TIMEOUT, thread, 0));
        return calls;
    }

    private static long wouldReject(TestTimeLimit calls) {
        return calls.limit.calls().get(TimeLimitOutcome.WOULD_REJECT);
    }
}
