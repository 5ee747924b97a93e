package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.ContextCarrier;
import dev.resilience.context.Deadline;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.slf4j.MDC;

/** What belongs to the caller's thread and must be there wherever its call goes on. */
@Timeout(60)
class ContextOfPoolTests {

    @AfterEach
    void clear() {
        MDC.clear();
        CallContext.NONE.makeCurrent();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void theMdcTravelsAndIsClearedAfterwards(Caller caller) throws Exception {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 0);
        MDC.put("order", "42");
        assertThat(call(calls, caller, () -> MDC.get("order"))).isEqualTo("42");
        call(calls, caller, () -> {
            MDC.put("order", "of the body");
            return "";
        });
        assertThat(MDC.get("order")).isEqualTo("42");

        MDC.clear();

        assertThat(call(calls, caller, () -> MDC.get("order"))).isNull();
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void theDeadlineAndTheAttemptTravel(Caller caller) throws Exception {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 0);
        Deadline deadline = Deadline.in(Duration.ofSeconds(7), calls.time);
        Attempt attempt = Attempt.of("test", 2, null);
        new CallContext(deadline, attempt).makeCurrent();

        assertThat(call(calls, caller, CallContext::current)).isEqualTo(new CallContext(deadline, attempt));

        CallContext.NONE.makeCurrent();
        assertThat(call(calls, caller, CallContext::current)).isEqualTo(CallContext.NONE);
    }

    @ParameterizedTest
    @EnumSource
    void theMdcIsThereAfterAWaitInLine(BulkheadPolicy.Type type) {
        TestBulkhead calls = new TestBulkhead(type, 1, 1);
        Call running = calls.start(Caller.ASYNCHRONOUS);
        MDC.put("order", "42");
        CompletableFuture<String> waiting =
                calls.pipeline.callAsync(() -> CompletableFuture.completedFuture(MDC.get("order")));
        MDC.put("order", "of the one who gives the place");

        running.end();

        assertThat(waiting).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("42");
        assertThat(MDC.get("order")).isEqualTo("of the one who gives the place");
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void aCarrierThatCannotTakeItsContextFailsTheCallAndCostsNoPlace(Caller caller) {
        assertBrokenCarrierCostsNoPlace(caller, task -> {
            throw new IllegalStateException("of the carrier");
        });
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void aCarrierThatCannotPutItsContextInPlaceFailsTheCallAndCostsNoPlace(Caller caller) {
        assertBrokenCarrierCostsNoPlace(caller, task -> () -> {
            throw new IllegalStateException("of the carrier");
        });
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void aCarrierThatRunsNothingFailsTheCallAndCostsNoPlace(Caller caller) {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 0, task -> () -> {});

        assertThatThrownBy(() -> call(calls, caller, () -> "never")).hasStackTraceContaining("did not run the task");

        TestBulkhead.soon(() -> calls.bulkhead.running() == 0);
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.MATCH_ANY, names = ".*POOL")
    void aCarrierThatCannotTakeItsContextBackChangesNothing(Caller caller) {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 1, task -> () -> {
            task.run();
            throw new IllegalStateException("of the carrier");
        });
        for (int i = 0; i < 3; i++) {
            Call call = calls.start(caller);
            Call waiting = calls.start(caller);
            calls.assertGauges(1, 1);

            call.end();
            waiting.assertRunsSoon();
            waiting.end();
        }
        TestBulkhead.soon(() -> calls.bulkhead.running() == 0);
    }

    @ParameterizedTest
    @EnumSource
    void aCarrierThatRunsItsTaskTwiceRunsTheBodyOnceAndLeavesOnePlace(Caller caller) throws Exception {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 1, task -> () -> {
            task.run();
            task.run();
        });
        for (int i = 0; i < 3; i++) {
            Call call = calls.start(caller);
            Call waiting = calls.start(caller);
            calls.assertGauges(1, 1);

            call.end();
            waiting.assertRunsSoon();
            calls.assertGauges(1, 0);
            waiting.end();
            TestBulkhead.soon(() -> calls.bulkhead.running() == 0);
        }
        AtomicInteger runs = new AtomicInteger();
        assertThat(call(calls, caller, runs::incrementAndGet)).isEqualTo(1);
        TestBulkhead.soon(() -> !calls.bulkhead.poolHasWork());
        assertThat(runs).hasValue(1);
        calls.assertGauges(0, 0);
    }

    @Test
    void aCallWhoseContextCannotBeTakenIsCountedByWhetherItHadAPlace() {
        TestBulkhead calls = new TestBulkhead(BulkheadPolicy.Type.THREAD_POOL, 1, 1, task -> {
            throw new IllegalStateException("of the carrier");
        });

        calls.start(Caller.ASYNCHRONOUS_FOR_POOL).refusal();
        calls.assertCounted(1, 0, 0);
        assertThat(calls.bulkhead.running()).isZero();
    }

    private static void assertBrokenCarrierCostsNoPlace(Caller caller, ContextCarrier broken) {
        TestBulkhead calls = new TestBulkhead(caller.type, 1, 0, broken);
        for (int i = 0; i < 3; i++) {
            assertThatThrownBy(() -> call(calls, caller, () -> "never")).hasStackTraceContaining("of the carrier");
            TestBulkhead.soon(() -> calls.bulkhead.running() == 0);
        }
    }

    private static <T> T call(TestBulkhead through, Caller caller, Callable<T> body) throws Exception {
        if (caller.isBlocking()) {
            return through.pipeline.call(body::call);
        }
        CompletableFuture<T> answer = through.pipeline.callAsync(() -> {
            try {
                return CompletableFuture.completedFuture(body.call());
            } catch (Exception failure) {
                return CompletableFuture.failedFuture(failure);
            }
        });
        return answer.get(30, TimeUnit.SECONDS);
    }
}
