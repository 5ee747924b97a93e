package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.concurrency.WithoutLog;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CallQueued;
import dev.resilience.event.EventPublisher;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.CallMode;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each key has permits of its own, and none of them is lost. */
@ExtendWith(WithoutLog.class)
class BulkheadByKeyTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private Bulkhead bulkhead =
            bulkhead(BulkheadPolicy.builder().maxConcurrent(1).maxQueue(0));

    private Bulkhead bulkhead(BulkheadPolicy.Builder policy) {
        return new Bulkhead("crm", policy.build(), Environment.of(time));
    }

    @AfterEach
    void close() {
        bulkhead.close();
    }

    private CompletableFuture<String> begin(String key, CompletableFuture<String> end) {
        return Pipeline.of(bulkhead.forKey(key)).callAsync(() -> end);
    }

    private String call(String key) {
        return Pipeline.of(bulkhead.forKey(key)).call(() -> "answer");
    }

    private void assertFull(String key) {
        assertThatThrownBy(() -> call(key)).isInstanceOf(BulkheadFullException.class);
    }

    @Test
    void aSlowKeyLeavesOthersTheirPermits() {
        CompletableFuture<String> slow = new CompletableFuture<>();
        CompletableFuture<String> call = begin("slow", slow);
        assertFull("slow");
        assertThat(call("fast")).isEqualTo("answer");
        assertThat(bulkhead.running()).isEqualTo(1);

        slow.complete("late");
        assertThat(call).isCompletedWithValue("late");
        assertThat(call("slow")).isEqualTo("answer");
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED)).isEqualTo(3);
        assertThat(bulkhead.calls().get(BulkheadOutcome.REJECTED)).isEqualTo(1);
        assertThat(bulkhead.running()).isZero();
    }

    @Test
    void aCancelledCallGivesItsPermitBack() {
        CompletableFuture<String> call = begin("a", new CompletableFuture<>());
        call.cancel(true);
        assertThat(call("a")).isEqualTo("answer");
        assertThat(bulkhead.running()).isZero();
    }

    /** Its key stays known, however many others come: otherwise it would have its permits twice. */
    @Test
    void aKeyWhoseCallHoldsAPermitIsNotForgotten() {
        bulkhead =
                bulkhead(BulkheadPolicy.builder().maxConcurrent(1).maxQueue(0).maxKeys(2));
        CompletableFuture<String> end = new CompletableFuture<>();
        CompletableFuture<String> held = begin("held", end);
        for (int i = 0; i < 100; i++) {
            call("k" + i);
        }
        assertFull("held");
        end.complete("late");
        assertThat(held).isCompletedWithValue("late");
        assertThat(call("held")).isEqualTo("answer");
        assertThat(Objects.requireNonNull(bulkhead.keys()).size()).isLessThanOrEqualTo(3);
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED)).isEqualTo(102);
    }

    @Test
    void aNewLimitReachesAllKeys() {
        CompletableFuture<String> end = new CompletableFuture<>();
        begin("a", end);
        assertFull("a");
        bulkhead.reconfigure(
                BulkheadPolicy.builder().maxConcurrent(2).maxQueue(0).build());
        assertThat(call("a")).isEqualTo("answer");
        begin("b", end);
        assertThat(call("b")).isEqualTo("answer");
        end.complete("late");
        assertThat(bulkhead.running()).isZero();
    }

    @Test
    void listenersOfALiveChangeRunWithoutItsLock() {
        EventPublisher listeners = new EventPublisher();
        Environment plain = Environment.of(time);
        bulkhead = new Bulkhead(
                "crm",
                BulkheadPolicy.builder().maxConcurrent(1).maxQueue(5).build(),
                new Environment(time, listeners, plain.faults(), plain.carrier()));
        List<Boolean> isLocked = new ArrayList<>();
        listeners.add(CallQueued.class, event -> isLocked.add(Thread.holdsLock(bulkhead)));
        begin("a", new CompletableFuture<>());
        begin("a", CompletableFuture.completedFuture("b"));
        Pipeline.of(bulkhead).callAsync(CompletableFuture::new);
        Pipeline.of(bulkhead).callAsync(CompletableFuture::new);
        bulkhead.reconfigure(
                BulkheadPolicy.builder().maxConcurrent(2).maxQueue(5).build());
        assertThat(isLocked).containsExactly(false, false);
        assertThat(bulkhead.queued()).isZero();
    }

    @Test
    void aResetForgetsNoCallUnderWay() {
        bulkhead = bulkhead(BulkheadPolicy.builder().maxConcurrent(1).maxQueue(0));
        CompletableFuture<String> end = new CompletableFuture<>();
        begin("a", end);
        call("b");
        Objects.requireNonNull(bulkhead.keys()).clear();
        assertThat(bulkhead.running()).isEqualTo(1);
        assertFull("a");
        end.complete("late");
        assertThat(call("a")).isEqualTo("answer");
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED)).isEqualTo(3);
    }

    @Test
    void callsOfAllKeysRunOnThePoolOfThePolicyAndEndWithIt() {
        bulkhead = bulkhead(BulkheadPolicy.builder()
                .type(BulkheadPolicy.Type.THREAD_POOL)
                .maxConcurrent(1)
                .maxQueue(1));
        CountDownLatch begun = new CountDownLatch(2);
        Map<String, CompletableFuture<String>> calls = new HashMap<>();
        for (String key : new String[] {"a", "b"}) {
            calls.put(key, Pipeline.of(bulkhead.forKey(key)).callAsync(() -> {
                begun.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException stopped) {
                    return CompletableFuture.completedFuture(
                            Thread.currentThread().getName());
                }
                return new CompletableFuture<>();
            }));
        }
        Awaitility.await().until(() -> begun.getCount() == 0);
        assertThat(bulkhead.poolHasWork()).isTrue();
        CompletableFuture<String> waits = begin("a", new CompletableFuture<>());
        assertThat(bulkhead.queued()).isEqualTo(1);

        bulkhead.close();

        assertThat(calls.get("a").join()).startsWith("resilience-bulkhead-crm-");
        assertThat(calls.get("b").join()).startsWith("resilience-bulkhead-crm-");
        Awaitility.await().until(waits::isCompletedExceptionally);
        Awaitility.await().until(() -> !bulkhead.poolHasWork());
        assertThat(bulkhead.running() + bulkhead.queued()).isZero();
        assertThatThrownBy(() -> Pipeline.of(bulkhead.forKey("new")).call(() -> {
                    begin("new", new CompletableFuture<>()).join();
                    return "x";
                }))
                .as("a key that comes after the end does not wait")
                .hasMessageContaining("the application ends");
    }

    /** An hour of a hundred thousand tenants: all permits come back, and the memory is that of those that may be known. */
    @ParameterizedTest
    @EnumSource
    void noPermitOfAHundredThousandKeysIsLost(CallMode mode) throws Throwable {
        bulkhead = bulkhead(BulkheadPolicy.builder().maxConcurrent(1).maxQueue(0));
        Runtime java = Runtime.getRuntime();
        System.gc();
        long before = java.totalMemory() - java.freeMemory();
        for (int minute = 0; minute < 60; minute++) {
            for (int i = 0; i < 5_000; i++) {
                int key = (minute % 20) * 5_000 + i;
                assertThat(mode.call(Pipeline.of(bulkhead.forKey("t" + key)), () -> "answer"))
                        .isEqualTo("answer");
            }
            time.advance(Duration.ofMinutes(1));
        }
        assertThat(bulkhead.running()).isZero();
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED)).isEqualTo(300_000);
        assertThat(Objects.requireNonNull(bulkhead.keys()).size()).isEqualTo(10_000);
        System.gc();
        long bytes = (java.totalMemory() - java.freeMemory() - before) / 10_000;
        System.out.println("A key's bulkhead takes " + bytes + " bytes");
        assertThat(bytes).isLessThan(6_000);
    }

    @Test
    void noKeyEverHasMorePermitsThanThePolicySays() throws InterruptedException {
        bulkhead =
                bulkhead(BulkheadPolicy.builder().maxConcurrent(1).maxQueue(0).maxKeys(4));
        Map<String, AtomicInteger> inside = new ConcurrentHashMap<>();
        AtomicReference<String> wrong = new AtomicReference<>();
        AtomicInteger accepted = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        Thread[] callers = new Thread[4];
        for (int t = 0; t < callers.length; t++) {
            callers[t] = new Thread(() -> {
                for (int i = 0; i < 20_000; i++) {
                    String key = "k" + ThreadLocalRandom.current().nextInt(12);
                    AtomicInteger ofKey = inside.computeIfAbsent(key, k -> new AtomicInteger());
                    try {
                        Pipeline.of(bulkhead.forKey(key)).run(() -> {
                            if (ofKey.incrementAndGet() > 1) {
                                wrong.set(key);
                            }
                            Thread.onSpinWait();
                            ofKey.decrementAndGet();
                        });
                        accepted.incrementAndGet();
                    } catch (BulkheadFullException full) {
                        refused.incrementAndGet();
                    }
                }
            });
            callers[t].start();
        }
        for (Thread caller : callers) {
            caller.join();
        }
        assertThat(wrong).hasNullValue();
        assertThat(bulkhead.running()).isZero();
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED)).isEqualTo(accepted.get());
        assertThat(bulkhead.calls().get(BulkheadOutcome.REJECTED)).isEqualTo(refused.get());
    }
}
