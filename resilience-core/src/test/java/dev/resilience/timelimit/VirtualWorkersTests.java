package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

@Timeout(60)
class VirtualWorkersTests {

    private static TimeLimit limit() {
        return TimeLimit.onVirtualThreads(
                "orders",
                TimeLimitPolicy.builder().thread(TimeLimitPolicy.RunsOn.WORKER).build(),
                Environment.of(new ManualTimeSource()));
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void areAsManyAsThereAreCalls() throws Exception {
        TimeLimit limit = limit();
        Semaphore entered = new Semaphore(0);
        CompletableFuture<String> gate = new CompletableFuture<>();
        List<CompletableFuture<String>> answers = new ArrayList<>();
        for (int i = 0; i < 300; i++) {
            answers.add(Pipeline.of(limit).callAsync(() -> {
                entered.release();
                gate.join();
                return CompletableFuture.completedFuture(Thread.currentThread().toString());
            }));
        }

        assertThat(entered.tryAcquire(300, 30, TimeUnit.SECONDS)).isTrue();
        assertThat(limit.workers()).isEqualTo(300);
        gate.complete("open");

        assertThat(answers)
                .allSatisfy(answer -> assertThat(answer.get(30, TimeUnit.SECONDS))
                        .startsWith("VirtualThread")
                        .contains("resilience-time-limit-orders-"));
    }

    @Test
    @EnabledForJreRange(max = JRE.JAVA_20)
    void areRefusedOnAJavaThatHasNone() {
        assertThatExceptionOfType(UnsupportedOperationException.class)
                .isThrownBy(VirtualWorkersTests::limit)
                .withMessageContaining("virtual threads");
    }
}
