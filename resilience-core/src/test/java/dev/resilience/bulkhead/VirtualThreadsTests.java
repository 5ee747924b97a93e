package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.InvalidPolicyException;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class VirtualThreadsTests {

    private static BulkheadPolicy.Builder policy() {
        return BulkheadPolicy.builder()
                .type(BulkheadPolicy.Type.THREAD_POOL)
                .maxConcurrent(2)
                .virtualThreads(true);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void runsEveryCallOnAVirtualThreadOfItsOwn() throws Exception {
        Pipeline pipeline = Pipeline.of(Resilience.create().bulkhead("orders", policy().build()));
        Callable<String> thread = () -> Thread.currentThread().toString();

        String first = pipeline.call(thread::call);
        String second = pipeline.call(thread::call);

        assertThat(first).contains("VirtualThread").contains("resilience-bulkhead-orders-1");
        assertThat(second).contains("VirtualThread").contains("resilience-bulkhead-orders-2");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void mayBeginToWhileItRuns() throws Exception {
        Bulkhead bulkhead = Resilience.create()
                .bulkhead("orders", policy().virtualThreads(false).build());
        Callable<String> thread = () -> Thread.currentThread().toString();
        assertThat(Pipeline.of(bulkhead).call(thread::call)).doesNotContain("VirtualThread");

        bulkhead.reconfigure(policy().build());

        assertThat(Pipeline.of(bulkhead).call(thread::call)).contains("VirtualThread");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void inheritNothingOfWhoeverStartsThem() {
        InheritableThreadLocal<String> user = new InheritableThreadLocal<>();
        Pipeline pipeline = Pipeline.of(
                Resilience.create().bulkhead("orders", policy().maxConcurrent(1).build()));
        CompletableFuture<String> running = new CompletableFuture<>();
        CompletableFuture<String> leaver = pipeline.callAsync(() -> running);
        CompletableFuture<Boolean> seenAfterAWait =
                pipeline.callAsync(() -> CompletableFuture.completedFuture(user.get() != null));
        user.set("of the one who gives the place");
        try {
            running.complete("ok");

            assertThat(leaver).succeedsWithin(Duration.ofSeconds(30));
            assertThat(seenAfterAWait).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(false);
            assertThat(pipeline.callAsync(() -> CompletableFuture.completedFuture(user.get() != null)))
                    .succeedsWithin(Duration.ofSeconds(30))
                    .isEqualTo(false);
        } finally {
            user.remove();
        }
    }

    /** Far more than there are carriers: if a wait pinned its carrier, no virtual thread could run after a few. */
    @ParameterizedTest
    @EnumSource
    @EnabledForJreRange(min = JRE.JAVA_21)
    void virtualCallersInLineHoldNoCarrier(BulkheadPolicy.Type type) throws Exception {
        TestBulkhead calls = new TestBulkhead(type, 1, 1_000);
        Call running = calls.start(Caller.ASYNCHRONOUS);
        CountDownLatch ended = new CountDownLatch(1_000);
        for (int i = 0; i < 1_000; i++) {
            startVirtualThread(() -> {
                calls.pipeline.call(() -> "ok");
                ended.countDown();
                return null;
            });
        }
        TestBulkhead.soon(() -> calls.bulkhead.queued() == 1_000);

        CountDownLatch another = new CountDownLatch(1);
        startVirtualThread(() -> {
            another.countDown();
            return null;
        });
        assertThat(another.await(30, TimeUnit.SECONDS)).isTrue();

        running.end();
        assertThat(ended.await(30, TimeUnit.SECONDS)).isTrue();
        calls.assertCounted(1_001, 0, 0);
    }

    private static void startVirtualThread(Callable<?> work) throws ReflectiveOperationException {
        Runnable task = () -> {
            try {
                work.call();
            } catch (Exception failure) {
                throw new AssertionError(failure);
            }
        };
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
    }

    @Test
    @DisabledForJreRange(min = JRE.JAVA_21)
    void doesNotExistBelowJava21() {
        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> policy().build())
                .withMessageContaining("virtual-threads")
                .withMessageContaining("needs Java 21 or later, and this is Java "
                        + Runtime.version().feature());
    }
}
