package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.exception.BulkheadFullException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Caller.class)
class ReconfiguredBulkheadTests {

    private final Caller caller;
    private final TestBulkhead calls;

    ReconfiguredBulkheadTests(Caller caller) {
        this.caller = caller;
        this.calls = new TestBulkhead(caller.type, 2, 2);
    }

    @Test
    void letsWaitersInWhenItsLimitGrows() {
        List<Call> running = start(2);
        List<Call> waiting = start(2);

        calls.bulkhead.reconfigure(policy(3, 2));

        waiting.get(0).assertRunsSoon();
        waiting.get(1).assertWaits();
        calls.assertGauges(3, 1);
        running.forEach(Call::end);
        waiting.get(1).assertRunsSoon();
        waiting.forEach(Call::end);
        calls.assertGauges(0, 0);
        calls.assertCounted(4, 0, 0);
    }

    @Test
    void throwsNobodyOutWhenItsLimitShrinks() {
        List<Call> running = start(2);

        calls.bulkhead.reconfigure(policy(1, 2));

        assertThat(running).allMatch(Call::isRunning);
        calls.assertGauges(2, 0);
        Call waiting = calls.start(caller);
        running.get(0).end();
        waiting.assertWaits();
        calls.assertGauges(1, 1);
        running.get(1).end();
        waiting.assertRunsSoon();
        waiting.end();
        calls.assertGauges(0, 0);
    }

    @Test
    void sendsNobodyOutOfALineThatGetsShorter() {
        List<Call> running = start(2);
        List<Call> waiting = start(2);

        calls.bulkhead.reconfigure(policy(2, 1));

        waiting.forEach(Call::assertWaits);
        assertThat(calls.start(caller).refusal())
                .isInstanceOf(BulkheadFullException.class)
                .hasMessageEndingWith("2 calls run and 1 waits, which are the limits");
        running.forEach(Call::end);
        waiting.forEach(Call::assertRunsSoon);
        waiting.forEach(Call::end);
    }

    @Test
    void lastsEachWaitAsLongAsItWasGoingTo() {
        start(2);
        Call first = calls.start(caller);
        calls.bulkhead.reconfigure(BulkheadPolicy.builder()
                .type(caller.type)
                .maxConcurrent(2)
                .queueTimeout(Duration.ofSeconds(1))
                .build());
        Call second = calls.start(caller);

        calls.time.advance(Duration.ofSeconds(1));

        assertThat(second.refusal()).hasMessageEndingWith("it waited in the queue for 1 s");
        first.assertWaits();
        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT);
        assertThat(first.refusal())
                .isInstanceOf(BulkheadFullException.class)
                .hasMessageEndingWith("it waited in the queue for 30 s");
    }

    @Test
    void mayChangeItsTypeWhileCallsRun() throws Exception {
        List<Call> running = start(2);
        Call waiting = calls.start(caller);
        BulkheadPolicy.Type other = caller.type == BulkheadPolicy.Type.SEMAPHORE
                ? BulkheadPolicy.Type.THREAD_POOL
                : BulkheadPolicy.Type.SEMAPHORE;

        calls.bulkhead.reconfigure(BulkheadPolicy.builder()
                .type(other)
                .maxConcurrent(2)
                .maxQueue(2)
                .build());

        calls.assertGauges(2, 1);
        running.forEach(Call::end);
        waiting.assertRunsSoon();
        waiting.end();
        Thread thread = calls.pipeline.call(Thread::currentThread);
        assertThat(thread == Thread.currentThread()).isEqualTo(other == BulkheadPolicy.Type.SEMAPHORE);
        calls.assertGauges(0, 0);
        calls.assertCounted(4, 0, 0);
    }

    @Test
    void hasAsManyThreadsAsItHasPlacesThen() {
        calls.bulkhead.reconfigure(policy(20, 0));
        List<Call> running = start(20);
        assertThat(calls.start(caller).refusal()).isInstanceOf(BulkheadFullException.class);

        calls.bulkhead.reconfigure(policy(1, 0));
        running.forEach(Call::end);
        Call one = calls.start(caller);
        assertThat(calls.start(caller).refusal()).isInstanceOf(BulkheadFullException.class);

        one.end();
        calls.assertGauges(0, 0);
    }

    @Test
    void knowsItsNewPolicy() {
        BulkheadPolicy changed = policy(7, 7);

        calls.bulkhead.reconfigure(changed);

        assertThat(calls.bulkhead.policy()).isEqualTo(changed);
    }

    private BulkheadPolicy policy(int maxConcurrent, int maxQueue) {
        return BulkheadPolicy.builder()
                .type(caller.type)
                .maxConcurrent(maxConcurrent)
                .maxQueue(maxQueue)
                .queueTimeout(TestBulkhead.QUEUE_TIMEOUT)
                .build();
    }

    private List<Call> start(int number) {
        List<Call> started = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            started.add(calls.start(caller));
        }
        return started;
    }
}
