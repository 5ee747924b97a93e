package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CapturedLog;
import org.junit.jupiter.api.Test;

class CancellationFailedTests {

    @Test
    void aClassOfSourcesIsToldOfOnceHoweverManyCallsAreCancelled() {
        try (CapturedLog log = CapturedLog.of(AsyncCall.class)) {
            Object source = new Object() {};
            for (int call = 0; call < 100; call++) {
                AsyncWait.cancellationFailed(source, new IllegalStateException("of the source"));
            }

            assertThat(log.single("cancellation_failed").getFormattedMessage())
                    .isEqualTo("A " + source.getClass().getName() + " could not be cancelled. Logged once.");
        }
    }
}
