package dev.resilience.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.event.CapturedLog;
import org.junit.jupiter.api.Test;

class BoundedExecutorTests {

    @Test
    void aJobThatThrowsIsLoggedWithTheReasonAndFreesItsWorker() {
        BoundedExecutor workers = BoundedExecutor.ofPlatformThreads("orders-", 1);
        try (CapturedLog log = CapturedLog.of(BoundedExecutor.class)) {
            workers.execute(() -> {
                throw new IllegalStateException("broken");
            });

            await().until(() -> workers.busy() == 0);
            assertThat(CapturedLog.pairsOf(log.single())).containsEntry("event", "worker_failed");
            assertThat(log.single().getFormattedMessage()).contains("orders-");
            assertThat(log.single().getThrowableProxy().getMessage()).isEqualTo("broken");
        } finally {
            workers.close();
        }
    }
}
