package dev.resilience.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whoever leaves an interrupt to a thread that is about to send one does not leave it to the past. */
@Timeout(60)
class InterruptOnItsWayTests {

    private final CompletableFuture<InterruptibleExecution> run = new CompletableFuture<>();
    private final CountDownLatch noticed = new CountDownLatch(1);
    private final CountDownLatch goOn = new CountDownLatch(1);
    private final CompletableFuture<String> end = new CompletableFuture<>();

    @Test
    void oneThatComesAfterTheBodyHasNoticedTheFirstReachesItToo() throws Exception {
        Thread body = new SlowToInterrupt();
        body.start();
        InterruptibleExecution running = run.join();
        Thread first = new Thread(running::interrupt);
        first.setDaemon(true);
        first.start();
        noticed.await();

        running.interrupt();
        goOn.countDown();

        assertThat(end).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("interrupted twice, and no flag");
        first.join();
    }

    /** Holds the first who interrupts it, until it may go on. */
    private final class SlowToInterrupt extends Thread {

        SlowToInterrupt() {
            setDaemon(true);
        }

        @Override
        public void run() {
            InterruptibleExecution body = new InterruptibleExecution();
            body.begin();
            run.complete(body);
            awaitInterrupt();
            noticed.countDown();
            awaitInterrupt();
            body.end();
            end.complete("interrupted twice, and " + (Thread.interrupted() ? "a" : "no") + " flag");
        }

        @Override
        public void interrupt() {
            super.interrupt();
            while (goOn.getCount() > 0) {
                Thread.onSpinWait();
            }
        }
    }

    private static void awaitInterrupt() {
        try {
            new CountDownLatch(1).await();
        } catch (InterruptedException expected) {
            // that is what was awaited
        }
    }
}
