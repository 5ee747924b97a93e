package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Interrupts of the thread that asks for a replay, and of the one that makes it. */
@Timeout(60)
class InterruptedReplayTests {

    @Test
    void anInterruptOfTheMethodsOwnIsNoneOfTheRequester() {
        assertThatThrownBy(() -> DeadLetterMethod.onOwnThread(() -> {
                    throw new InterruptedException("of the method's own");
                }))
                .isInstanceOf(InterruptedException.class);

        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void aRequesterThatIsInterruptedInterruptsTheMethodAndWaitsForItsEnd() throws Throwable {
        AtomicBoolean hasEnded = new AtomicBoolean();
        Thread.currentThread().interrupt();

        String answer = DeadLetterMethod.onOwnThread(() -> {
            try {
                new CountDownLatch(1).await();
            } catch (InterruptedException ofRequester) {
                hasEnded.set(true); // what the method has to do before it lets go
            }
            return "cleaned up";
        });

        assertThat(Thread.interrupted()).isTrue();
        assertThat(hasEnded).isTrue();
        assertThat(answer).isEqualTo("cleaned up");
    }
}
