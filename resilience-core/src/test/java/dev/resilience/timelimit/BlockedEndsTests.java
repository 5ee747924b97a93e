package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.Resilience;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.pipeline.Pipeline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the application does when a call has ended may take long, in real time. */
@Timeout(120)
class BlockedEndsTests {

    private static final int CALLS = 1_000;
    private static final int MAX_THREADS = 64;

    private final CountDownLatch end = new CountDownLatch(1);
    private final Set<Thread> blocked = ConcurrentHashMap.newKeySet();

    @Test
    void moreEndsThatBlockNeedNoMoreThreadsAndDelayNoTimeLimitOfABlockingCall() throws Exception {
        Pipeline early = pipeline(Duration.ofMillis(200));
        List<CompletableFuture<?>> ends = new ArrayList<>();
        for (int i = 0; i < CALLS; i++) {
            CompletableFuture<String> call = early.callAsync(CompletableFuture::new);
            ends.add(call.handle((result, failure) -> block(failure)));
        }

        assertThatThrownBy(() -> pipeline(Duration.ofSeconds(2)).call(() -> {
                    new CountDownLatch(1).await();
                    return "never";
                }))
                .isInstanceOf(TimeLimitExceededException.class);

        assertThat(blocked).hasSizeBetween(1, MAX_THREADS);
        end.countDown();
        for (CompletableFuture<?> ended : ends) {
            assertThat(ended.get(30, TimeUnit.SECONDS)).isInstanceOf(TimeLimitExceededException.class);
        }
    }

    private Throwable block(Throwable failure) {
        blocked.add(Thread.currentThread());
        try {
            end.await();
        } catch (InterruptedException never) {
            Thread.currentThread().interrupt();
        }
        return failure;
    }

    private static Pipeline pipeline(Duration timeout) {
        return Pipeline.of(Resilience.create()
                .timeLimit(
                        "of-" + timeout,
                        TimeLimitPolicy.builder().timeout(timeout).build()));
    }
}
