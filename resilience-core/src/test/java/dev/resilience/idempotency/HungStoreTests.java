package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that does not answer must hurt nobody but those who use it. */
class HungStoreTests {

    private final TimeSource time = TimeSource.system();
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger hanging = new AtomicInteger();

    @AfterEach
    void answer() {
        end.countDown();
        await().until(() -> hanging.get() == 0);
    }

    @Test
    void doesNotKeepTheTimeoutsOfOthersFromFiring() {
        IdempotencyPolicy policy =
                IdempotencyPolicy.builder().lease(Duration.ofMillis(300)).build();
        Pipeline hung = TestIdempotency.pipeline(
                new Idempotency("orders", policy, new HangingStore(), Environment.of(time)),
                new TextOperation(TextOperation.NAME, ""));
        for (int i = 0; i < 20; i++) {
            hung.invokeAsync(TestIdempotency.invocation("key " + i, "payload", CompletableFuture::new));
        }
        await().until(() -> hanging.get() >= 4);
        Pipeline other = Pipeline.of(Resilience.create()
                .bulkhead(
                        "other",
                        BulkheadPolicy.builder()
                                .maxConcurrent(1)
                                .queueTimeout(Duration.ofMillis(200))
                                .build()));
        other.callAsync(CompletableFuture::new);

        CompletableFuture<String> waiting = other.callAsync(CompletableFuture::new);

        assertThat(waiting)
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableOfType(ExecutionException.class)
                .withCauseInstanceOf(BulkheadFullException.class);
    }

    /** Claims are answered at once; renewals are not, until the test ends, and then the lease is lost. */
    private final class HangingStore extends ForwardingStore {

        HangingStore() {
            super(new MemoryIdempotencyStore(time));
        }

        @Override
        public boolean renew(LeaseToken token, Duration lease) {
            hanging.incrementAndGet();
            try {
                end.await();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            } finally {
                hanging.decrementAndGet();
            }
            return false;
        }
    }
}
