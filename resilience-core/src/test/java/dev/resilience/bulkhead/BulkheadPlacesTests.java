package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitState;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class BulkheadPlacesTests {

    private final CallMode mode;
    private final TestBulkhead calls = new TestBulkhead(2, 0);

    BulkheadPlacesTests(CallMode mode) {
        this.mode = mode;
    }

    private Object call(TestBulkhead through) throws Throwable {
        return mode.call(through.pipeline, () -> "ok");
    }

    @Nested
    class AreLimited {

        @Test
        void soThatOneCallTooManyIsRefused() throws Throwable {
            calls.start(Caller.ASYNCHRONOUS);
            calls.start(Caller.BLOCKING);
            calls.assertGauges(2, 0);

            assertThatExceptionOfType(BulkheadFullException.class)
                    .isThrownBy(() -> call(calls))
                    .withMessage("Bulkhead 'orders' refused the call: 2 calls run and 0 wait, which are the limits")
                    .returns("orders", BulkheadFullException::name);

            calls.assertGauges(2, 0);
            calls.assertCounted(2, 1, 0);
        }

        @Test
        void forCallsInsideOfCallsToo() throws Throwable {
            TestBulkhead single = new TestBulkhead(1, 0);

            assertThatThrownBy(() -> mode.call(single.pipeline, () -> single.pipeline.call(() -> "inner")))
                    .isInstanceOf(BulkheadFullException.class);

            single.assertGauges(0, 0);
            single.assertCounted(1, 1, 0);
        }

        @Test
        void byNumbersAsLargeAsAnIntCanBe() throws Throwable {
            TestBulkhead huge = new TestBulkhead(Integer.MAX_VALUE, Integer.MAX_VALUE);
            Call running = huge.start(Caller.ASYNCHRONOUS);

            assertThat(call(huge)).isEqualTo("ok");

            huge.assertGauges(1, 0);
            running.end();
            huge.assertGauges(0, 0);
            huge.assertCounted(2, 0, 0);
        }

        @Test
        void andTheLineMayBeAsLongAsAnIntCanBe() {
            TestBulkhead longLine = new TestBulkhead(1, Integer.MAX_VALUE);
            Call running = longLine.start(Caller.ASYNCHRONOUS);
            Call waiting = longLine.start(Caller.ASYNCHRONOUS);
            longLine.assertGauges(1, 1);

            running.end();

            waiting.assertRunsSoon();
        }
    }

    @Nested
    class AreGivenBack {

        private final TestBulkhead single = new TestBulkhead(1, 0);

        private void assertPlaceIsFree() throws Throwable {
            single.assertGauges(0, 0);
            assertThat(call(single)).isEqualTo("ok");
        }

        @Test
        void afterASuccess() throws Throwable {
            for (int i = 0; i < 100; i++) {
                assertThat(call(single)).isEqualTo("ok");
            }

            single.assertCounted(100, 0, 0);
        }

        @Test
        void afterAnException() throws Throwable {
            IOException failure = new IOException("down");
            assertThatThrownBy(() -> mode.call(single.pipeline, () -> {
                        throw failure;
                    }))
                    .isSameAs(failure);

            assertPlaceIsFree();
        }

        @Test
        void afterAnError() throws Throwable {
            AssertionError failure = new AssertionError("broken");
            assertThatThrownBy(() -> mode.call(single.pipeline, () -> {
                        throw failure;
                    }))
                    .isSameAs(failure);

            assertPlaceIsFree();
        }

        @Test
        void whenAnAsynchronousBodyThrowsBeforeItReturns() throws Throwable {
            StackOverflowError failure = new StackOverflowError();
            CompletableFuture<String> answer = single.pipeline.callAsync(() -> {
                throw failure;
            });
            assertThatThrownBy(answer::join).hasCause(failure);

            assertPlaceIsFree();
        }

        @Test
        void whenAnAsynchronousBodyReturnsNoStage() throws Throwable {
            assertThat(single.pipeline.callAsync(() -> null)).isCompletedExceptionally();

            assertPlaceIsFree();
        }

        @Test
        void whenTheCallerCancels() throws Throwable {
            Call running = single.start(Caller.ASYNCHRONOUS);
            running.answer().cancel(true);
            assertThat(running.body()).isCancelled();

            assertPlaceIsFree();
        }

        @Test
        void onceThoughTheBodyEndsAfterTheCallerHasCancelled() throws Throwable {
            Call running = single.start(Caller.ASYNCHRONOUS);
            running.answer().complete("the caller knows better");
            running.body().complete("too late");
            running.answer().cancel(true);

            assertPlaceIsFree();
        }

        @Test
        void whenAnInnerLayerRefuses() throws Throwable {
            CircuitBreaker open = Resilience.create()
                    .circuitBreaker(
                            "open",
                            CircuitBreakerPolicy.builder()
                                    .initialState(CircuitState.FORCED_OPEN)
                                    .build());
            assertThatThrownBy(() -> mode.call(Pipeline.of(single.bulkhead, open), () -> "never"))
                    .isInstanceOf(CircuitOpenException.class);

            assertPlaceIsFree();
        }
    }

    @Test
    void belongToABulkheadThatKnowsItsNameAndPolicy() {
        Bulkhead bulkhead = Resilience.create().bulkhead("orders", BulkheadPolicy.defaults());

        assertThat(bulkhead.name()).isEqualTo("orders");
        assertThat(bulkhead.policy()).isEqualTo(BulkheadPolicy.defaults());
        assertThat(bulkhead.running()).isZero();
        assertThat(bulkhead.queued()).isZero();
        assertThat(bulkhead.calls().total()).isZero();
    }
}
