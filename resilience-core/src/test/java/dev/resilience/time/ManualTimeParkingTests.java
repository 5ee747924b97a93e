package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ManualTimeParkingTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final Object blocker = new Object();

    @AfterEach
    void nobodyIsLeftBehind() {
        assertThat(time.parkedThreads()).isZero();
    }

    @Test
    void aParkedThreadWakesWhenItsTimeIsOver() throws Exception {
        Parked parked = park(Duration.ofSeconds(10));

        time.advance(Duration.ofSeconds(10));

        parked.ends();
    }

    @Test
    void aParkedThreadStaysUntilThen() throws Exception {
        Parked parked = park(Duration.ofSeconds(10));

        time.advance(Duration.ofSeconds(10).minusNanos(1));
        assertThat(time.parkedThreads()).isOne();
        time.advance(Duration.ofNanos(1));

        parked.ends();
    }

    @Test
    void eachOfManyThreadsWakesAtItsOwnTime() throws Exception {
        Parked early = park(Duration.ofSeconds(1));
        Parked late = park(Duration.ofSeconds(2));

        time.advance(Duration.ofSeconds(1));
        early.ends();
        assertThat(time.parkedThreads()).isOne();
        time.advance(Duration.ofSeconds(1));

        late.ends();
    }

    @Test
    void theSleepOfAnotherThreadWakesToo() throws Exception {
        Parked parked = park(Duration.ofSeconds(10));

        time.sleep(Duration.ofMinutes(1));

        parked.ends();
    }

    @Test
    void anUnparkWakesBeforeTheTime() throws Exception {
        Parked parked = park(Duration.ofDays(1));

        LockSupport.unpark(parked.thread);

        parked.ends();
        assertThat(time.elapsed()).isZero();
    }

    @Test
    void anInterruptWakesAndLeavesTheFlag() throws Exception {
        Parked parked = park(Duration.ofDays(1));

        parked.thread.interrupt();

        assertThat(parked.ends()).as("interrupted").isTrue();
    }

    @Test
    void aWaitOfNoTimeDoesNotPark() {
        time.park(blocker, Duration.ZERO);
        time.park(blocker, Duration.ofSeconds(-1));

        assertThat(time.parkedThreads()).isZero();
    }

    @Test
    void threadDumpsShowWhatIsWaitedFor() throws Exception {
        Parked parked = park(Duration.ofSeconds(1));
        await().until(() -> LockSupport.getBlocker(parked.thread) == blocker);

        time.advance(Duration.ofSeconds(1));

        parked.ends();
    }

    private Parked park(Duration atMost) {
        int before = time.parkedThreads();
        FutureTask<Boolean> waiting = new FutureTask<>(() -> {
            time.park(blocker, atMost);
            return Thread.currentThread().isInterrupted();
        });
        Thread thread = new Thread(waiting, "parked for " + atMost);
        thread.setDaemon(true);
        thread.start();
        await().until(() -> time.parkedThreads() == before + 1);
        return new Parked(thread, waiting);
    }

    private record Parked(Thread thread, FutureTask<Boolean> waiting) {

        /** Waits for the thread to go on; whether it was interrupted then. */
        boolean ends() throws Exception {
            return waiting.get(30, TimeUnit.SECONDS);
        }
    }
}
