package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@ParameterizedClass
@EnumSource(RunsOn.class)
class ReconfiguredTimeLimitTests {

    private final RunsOn thread;
    private final TestTimeLimit calls;

    ReconfiguredTimeLimitTests(RunsOn thread) {
        this.thread = thread;
        this.calls = new TestTimeLimit(thread);
    }

    @Test
    void grantsTheNewTimeToCallsThatBeginThen() {
        calls.limit.reconfigure(new TimeLimitPolicy(Duration.ofSeconds(1), thread, 1));

        assertThatThrownBy(() -> calls.pipeline.call(() -> {
                    calls.time.advance(Duration.ofSeconds(1));
                    return TestTimeLimit.blocked();
                }))
                .isInstanceOf(TimeLimitExceededException.class)
                .hasMessageEndingWith("the call took longer than 1 s");
        calls.assertCounted(0, 1);
    }

    @Test
    void leavesCallsUnderWayTheirTime() {
        Call call = calls.startAndAwait(TestTimeLimit::blocked);

        calls.limit.reconfigure(new TimeLimitPolicy(Duration.ofSeconds(1), thread, 1));
        calls.time.advance(Duration.ofSeconds(1));
        calls.assertCounted(0, 0);
        calls.timeIsOver();

        assertThat(call.end().failure()).hasMessageEndingWith("the call took longer than 5 s");
        calls.assertCounted(0, 1);
    }

    @Test
    void mayRunCallsElsewhereFromThenOn() throws Exception {
        RunsOn other = thread == RunsOn.CALLER ? RunsOn.WORKER : RunsOn.CALLER;

        calls.limit.reconfigure(new TimeLimitPolicy(TestTimeLimit.TIMEOUT, other, 1));

        assertThat(calls.pipeline.call(Thread::currentThread) == Thread.currentThread())
                .isEqualTo(other == RunsOn.CALLER);
        assertThat(calls.limit.policy()).isEqualTo(new TimeLimitPolicy(TestTimeLimit.TIMEOUT, other, 1));
    }
}
