package dev.resilience.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CapturedLog;
import org.junit.jupiter.api.Test;

class DeferredExecutionTests {

    @Test
    void aCarrierThatCannotTakeItsContextBackIsLoggedWithTheReason() {
        DeferredExecution run = new DeferredExecution();
        try (CapturedLog log = CapturedLog.of(DeferredExecution.class)) {
            run.carry(() -> {
                run.begin();
                run.end();
                throw new IllegalStateException("of the carrier");
            });

            assertThat(CapturedLog.pairsOf(log.single())).containsEntry("event", "context_restore_failed");
            assertThat(log.single().getThrowableProxy().getMessage()).isEqualTo("of the carrier");
        }
    }
}
