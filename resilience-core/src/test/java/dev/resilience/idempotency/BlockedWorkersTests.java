package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * The application's own asynchronous bodies run on the library's workers, and may block them for as long as they like.
 */
class BlockedWorkersTests {

    private static final int MORE_THAN_ANY_POOL = 200;

    private final TimeSource time = TimeSource.system();
    private final CountDownLatch end = new CountDownLatch(1);
    private final CountDownLatch ended = new CountDownLatch(MORE_THAN_ANY_POOL);

    @BeforeEach
    void block() {
        for (int i = 0; i < MORE_THAN_ANY_POOL; i++) {
            time.schedule(Duration.ZERO, () -> {
                try {
                    end.await();
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
                ended.countDown();
            });
        }
    }

    @AfterEach
    void unblock() throws Exception {
        end.countDown();
        ended.await();
    }

    @Test
    void doNotKeepALeaseFromBeingRenewed() throws Throwable {
        UnreliableStore store = new UnreliableStore(new MemoryIdempotencyStore(time));
        IdempotencyPolicy policy =
                IdempotencyPolicy.builder().lease(Duration.ofSeconds(1)).build();
        Pipeline pipeline = TestIdempotency.pipeline(
                new Idempotency("orders", policy, store, Environment.of(time)),
                new TextOperation(TextOperation.NAME, ""));

        Object result = pipeline.invoke(TestIdempotency.invocation("key", "payload", () -> {
            await().atMost(Duration.ofSeconds(10)).until(() -> store.renewals() >= 4);
            assertThatThrownBy(() -> pipeline.invoke(TestIdempotency.invocation("key", "payload", () -> "second")))
                    .isInstanceOf(IdempotencyInProgressException.class);
            return "first";
        }));

        assertThat(result).isEqualTo("first");
    }
}
