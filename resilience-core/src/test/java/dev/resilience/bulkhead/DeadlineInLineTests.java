package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.pipeline.InContext;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Caller.class)
class DeadlineInLineTests {

    private final Caller caller;
    private final TestBulkhead calls;
    private final Call running;

    DeadlineInLineTests(Caller caller) {
        this.caller = caller;
        this.calls = new TestBulkhead(caller.type, 1, 5);
        this.running = calls.start(Caller.ASYNCHRONOUS);
    }

    @Test
    void endsTheWait() {
        Call waiting = start(Duration.ofSeconds(2));
        calls.time.advance(Duration.ofSeconds(2).minusNanos(1));
        waiting.assertWaits();

        calls.time.advance(Duration.ofNanos(1));

        assertThat(waiting.refusal())
                .isInstanceOf(DeadlineExceededException.class)
                .hasMessage("The deadline came while the call waited in the queue of bulkhead 'orders'");
        calls.assertGauges(1, 0);
        calls.assertCounted(1, 0, 1);
    }

    @Test
    void doesNotMakeTheWaitLonger() {
        Call waiting = start(TestBulkhead.QUEUE_TIMEOUT.plusSeconds(1));

        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT);

        assertThat(waiting.refusal())
                .isInstanceOf(BulkheadFullException.class)
                .hasMessageEndingWith("it waited in the queue for 30 s");
    }

    @Test
    void thatHasPassedLeavesNothingToWaitFor() {
        Call late = start(Duration.ZERO);

        assertThat(late.refusal()).isInstanceOf(DeadlineExceededException.class);
        calls.assertGauges(1, 0);
        calls.assertCounted(1, 0, 1);
    }

    @Test
    void thatHasPassedLetsNobodyUseAFreePlace() {
        running.end();

        assertThat(start(Duration.ZERO).refusal()).isInstanceOf(DeadlineExceededException.class);

        calls.assertGauges(0, 0);
        calls.assertCounted(2, 0, 0);
    }

    private Call start(Duration left) {
        InContext context = new InContext(new CallContext(Deadline.in(left, calls.time), null));
        return calls.start(Pipeline.of(context, calls.bulkhead), caller);
    }
}
