package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static dev.resilience.event.IdempotencyOutcome.STORE_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.fallback.Fallback;
import dev.resilience.fallback.FallbackMethod;
import dev.resilience.idempotency.IdempotencyPolicy.OnStoreFailure;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import dev.resilience.time.TimeSource;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A fallback that stands inside an idempotent call. */
@ParameterizedClass
@EnumSource(CallMode.class)
class FallbackInsideTests {

    private final CallMode mode;

    FallbackInsideTests(CallMode mode) {
        this.mode = mode;
    }

    @Test
    void itsAnswerIsGivenAndNeverStored() throws Throwable {
        TestIdempotency calls = new TestIdempotency(mode);

        assertThat(call(calls, FallbackInsideTests::fail)).isEqualTo("fallback");
        assertThat(call(calls, () -> "result")).isEqualTo("result");
        assertThat(call(calls, FallbackInsideTests::fail)).isEqualTo("result");

        calls.assertCounted(RELEASED, EXECUTED, REPLAYED);
    }

    @Test
    void anAnswerThatIsNullIsNotStoredEither() throws Throwable {
        TestIdempotency calls = new TestIdempotency(mode);

        assertThat(call(calls, FallbackInsideTests::fail, null)).isNull();

        calls.assertCounted(RELEASED);
    }

    @Test
    void aFallbackOfAnotherCallThatTheMethodMakesIsNoneOfIt() throws Throwable {
        TestIdempotency calls = new TestIdempotency(mode);
        Pipeline other = Pipeline.of(fallback("fallback"));

        Object result = call(calls, () -> other.call(FallbackInsideTests::fail) + " in the method");

        assertThat(result).isEqualTo("fallback in the method");
        assertThat(call(calls, FallbackInsideTests::fail)).isEqualTo("fallback in the method");
        calls.assertCounted(EXECUTED, REPLAYED);
    }

    @Test
    void itAnswersInACallThatRunsUnprotected() throws Throwable {
        TestIdempotency calls = new TestIdempotency(
                mode,
                IdempotencyPolicy.builder()
                        .onStoreFailure(OnStoreFailure.FAIL_OPEN)
                        .build());
        calls.store.goDown();

        assertThat(call(calls, FallbackInsideTests::fail)).isEqualTo("fallback");

        calls.assertCounted(STORE_FAILURE);
    }

    private @Nullable Object call(TestIdempotency calls, Callable<?> body) throws Throwable {
        return call(calls, body, "fallback");
    }

    private @Nullable Object call(TestIdempotency calls, Callable<?> body, @Nullable Object answer) throws Throwable {
        Pipeline pipeline = Pipeline.of(
                calls.idempotency.protecting(calls.operation),
                fallback(mode == CallMode.BLOCKING ? answer : CompletableFuture.completedFuture(answer)));
        return mode.invoke(pipeline, TestIdempotency.invocation("key", "payload", body));
    }

    private static Fallback fallback(@Nullable Object answer) {
        return new Fallback(
                "Shop.sell",
                new FallbackMethod() {
                    @Override
                    public boolean answers(Throwable failure) {
                        return true;
                    }

                    @Override
                    public @Nullable Object answer(Invocation invocation, Throwable failure) {
                        return answer;
                    }
                },
                TimeSource.system());
    }

    private static Object fail() throws IOException {
        throw new IOException("down");
    }
}
