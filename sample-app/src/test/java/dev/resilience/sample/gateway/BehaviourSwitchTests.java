package dev.resilience.sample.gateway;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;

class BehaviourSwitchTests {

    private final BehaviourSwitch behaviour = new BehaviourSwitch();

    @Test
    void aChangeLetsGoWhoeverWaits() throws Exception {
        FutureTask<Boolean> pause = new FutureTask<>(() -> {
            behaviour.pause(Duration.ofDays(1));
            return true;
        });
        Thread waiting = new Thread(pause);
        waiting.start();
        await().until(() -> waiting.getState() == Thread.State.TIMED_WAITING);

        behaviour.set(Behaviour.GOOD);

        assertThat(pause.get()).isTrue();
    }

    @Test
    void aPauseEndsByItself() {
        assertThat(CompletableFuture.runAsync(this::pauseShortly)).succeedsWithin(Duration.ofSeconds(30));
    }

    private void pauseShortly() {
        try {
            behaviour.pause(Duration.ofMillis(1));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
