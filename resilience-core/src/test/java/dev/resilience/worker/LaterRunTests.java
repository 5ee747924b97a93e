package dev.resilience.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CapturedLog;
import org.junit.jupiter.api.Test;

class LaterRunTests {

    @Test
    void aCarrierThatCannotTakeItsContextBackIsLoggedWithTheReason() {
        LaterRun run = new LaterRun();
        try (CapturedLog log = CapturedLog.of(LaterRun.class)) {
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
