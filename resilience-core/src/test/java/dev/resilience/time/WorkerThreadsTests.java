package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WorkerThreadsTests {

    /** Before JDK 22 a thread of one in a hundred of such pools would go round in circles for ever, with JDK's own queue. */
    @Test
    void idleThreadsThatAreLetGoTogetherAllEnd() throws Exception {
        List<ThreadPoolExecutor> pools = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            ThreadPoolExecutor pool = WorkerThreads.pool("idle-", 4, false);
            CyclicBarrier allRun = new CyclicBarrier(4);
            CountDownLatch ended = new CountDownLatch(4);
            for (int task = 0; task < 4; task++) {
                pool.execute(() -> {
                    meet(allRun);
                    ended.countDown();
                });
            }
            assertThat(ended.await(10, TimeUnit.SECONDS)).isTrue();
            WorkerThreads.releaseIdle(pool);
            pools.add(pool);
        }
        await().atMost(Duration.ofSeconds(10))
                .untilAsserted(() -> assertThat(pools.stream().mapToInt(ThreadPoolExecutor::getPoolSize))
                        .containsOnly(0));
    }

    /** A task that came for a thread which had just given up would wait for others: here for ever, because they meet. */
    @Test
    void aTaskIsNeverLeftBehindOthersWhileThereMayBeMoreThreads() throws Exception {
        ThreadPoolExecutor pool = WorkerThreads.pool("meeting-", 1000, false);
        pool.setKeepAliveTime(20, TimeUnit.MICROSECONDS);
        for (int round = 0; round < 2_000; round++) {
            CyclicBarrier meeting = new CyclicBarrier(3);
            CountDownLatch ended = new CountDownLatch(3);
            for (int task = 0; task < 3; task++) {
                pool.execute(() -> {
                    meet(meeting);
                    ended.countDown();
                });
            }
            assertThat(ended.await(10, TimeUnit.SECONDS)).as("round %d", round).isTrue();
        }
        WorkerThreads.releaseIdle(pool);
    }

    @Test
    void whatExceedsTheThreadsWaitsAndCanBeRemoved() throws Exception {
        ThreadPoolExecutor pool = WorkerThreads.pool("full-", 1, false);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger run = new AtomicInteger();
        pool.execute(() -> {
            try {
                end.await();
            } catch (InterruptedException never) {
                Thread.currentThread().interrupt();
            }
        });
        Runnable removed = () -> run.addAndGet(100);
        pool.execute(removed);
        pool.execute(run::incrementAndGet);

        assertThat(pool.remove(removed)).isTrue();
        end.countDown();

        await().untilAsserted(() -> assertThat(run).hasValue(1));
        assertThat(pool.getLargestPoolSize()).isEqualTo(1);
        WorkerThreads.releaseIdle(pool);
    }

    private static void meet(CyclicBarrier barrier) {
        try {
            barrier.await(10, TimeUnit.SECONDS);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }
}
