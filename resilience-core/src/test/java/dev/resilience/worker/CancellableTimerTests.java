package dev.resilience.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.resilience.concurrency.StubTime;
import dev.resilience.event.CapturedLog;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class CancellableTimerTests {

    private final CancellableTimer alarm = new CancellableTimer();
    private final StubTime time = new StubTime();
    private final AtomicInteger rang = new AtomicInteger();

    @Test
    void goesOffOnce() {
        alarm.set(time, Duration.ofSeconds(1), rang::incrementAndGet);
        assertThat(rang).hasValue(0);

        time.timerGoesOff();

        assertThat(rang).hasValue(1);
    }

    @Test
    void leavesNoTimerWhenItIsSwitchedOff() {
        alarm.set(time, Duration.ofSeconds(1), rang::incrementAndGet);
        assertThat(time.hasTimer()).isTrue();

        alarm.off();

        assertThat(time.hasTimer()).isFalse();
    }

    @Test
    void leavesNoTimerWhenItWasSwitchedOffBeforeItIsSet() {
        alarm.off();

        alarm.set(time, Duration.ofSeconds(1), rang::incrementAndGet);

        assertThat(time.hasTimer()).isFalse();
    }

    @Test
    void saysSoInTheLogIfItCannotBeSwitchedOff() {
        StubTime broken = new StubTime() {
            @Override
            public Scheduled schedule(Duration delay, Runnable task) {
                return () -> {
                    throw new AssertionError("of the timer");
                };
            }
        };
        alarm.set(broken, Duration.ofSeconds(1), rang::incrementAndGet);

        try (CapturedLog log = CapturedLog.of(CancellableTimer.class)) {
            assertThatCode(alarm::off).doesNotThrowAnyException();

            assertThat(CapturedLog.pairsOf(log.single())).containsEntry("event", "timer_cancellation_failed");

            assertThat(log.single().getThrowableProxy().getMessage()).isEqualTo("of the timer");
        }
    }
}
