package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.AbstractThrowableAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A method that returns a future never throws: whatever goes wrong is a failed future. */
class AsynchronousRefusalsTests {

    @Test
    void theBodysOwnExceptionIsAFailedFuture() {
        runner().run(context -> assertThatCause(context.getBean(Gateway.class).throwing())
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("before any future"));
    }

    @Test
    void aBodyThatReturnsNoFutureIsAFailedFuture() {
        runner().run(context -> assertThatCause(context.getBean(Gateway.class).nothing())
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("in place of a CompletionStage"));
    }

    @Test
    void aCircuitBreakersRefusalIsAFailedFuture() {
        runner().run(context -> {
            context.getBean(ResilienceRegistry.class)
                    .circuitBreakers()
                    .get("default")
                    .forceOpen();
            assertThatCause(context.getBean(Gateway.class).throwing()).isInstanceOf(CircuitOpenException.class);
        });
    }

    @Test
    void aBulkheadsRefusalIsAFailedFuture() {
        runner().withPropertyValues("resilience.bulkhead.default.max-queue=0").run(context -> {
            Gateway gateway = context.getBean(Gateway.class);
            gateway.pending();
            assertThatCause(gateway.pending()).isInstanceOf(BulkheadFullException.class);
        });
    }

    @Test
    void aMissingKeyIsAFailedFuture() {
        runner().run(context -> assertThatCause(context.getBean(Gateway.class).order(null))
                .isInstanceOf(IdempotencyKeyMissingException.class));
    }

    private static ApplicationContextRunner runner() {
        return Applications.plain(Gateway.class).withPropertyValues("resilience.bulkhead.default.max-concurrent=1");
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertThatCause(CompletionStage<?> answer) {
        CompletableFuture<?> future = answer.toCompletableFuture();
        assertThat(future).isCompletedExceptionally();
        return assertThat(future.handle((result, failure) -> failure).join());
    }

    static class Gateway {

        @Bulkhead("default")
        public CompletableFuture<String> pending() {
            return new CompletableFuture<>();
        }

        @CircuitBreaker("default")
        public CompletableFuture<String> throwing() {
            throw new IllegalStateException("before any future");
        }

        @CircuitBreaker("default")
        @SuppressWarnings("NullAway") // what the test is about
        public @Nullable CompletableFuture<String> nothing() {
            return null;
        }

        @Idempotent(key = "#key")
        public CompletableFuture<String> order(@Nullable String key) {
            return CompletableFuture.completedFuture(key);
        }
    }
}
