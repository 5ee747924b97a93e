package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CallQueued;
import dev.resilience.event.EventPublisher;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** Real threads, blocking and asynchronous calls, timeouts, interrupts and cancellations, all at once. */
@ParameterizedClass
@EnumSource(BulkheadPolicy.Type.class)
class BulkheadSoakTests {

    private static final int PLACES = 3;
    private static final int THREADS = 6;
    private static final int CALLS_EACH = 2_500;

    private final Queue<CallQueued> queued = new ConcurrentLinkedQueue<>();
    private final Bulkhead bulkhead;
    private final Pipeline pipeline;
    private final AtomicInteger running = new AtomicInteger();
    private final AtomicInteger most = new AtomicInteger();
    private final AtomicLong bodies = new AtomicLong();
    private final AtomicLong cancelled = new AtomicLong();
    private final AtomicLong answered = new AtomicLong();
    private final Queue<Throwable> surprises = new ConcurrentLinkedQueue<>();

    BulkheadSoakTests(BulkheadPolicy.Type type) {
        this.bulkhead = bulkhead(type);
        this.pipeline = Pipeline.of(bulkhead);
    }

    private Bulkhead bulkhead(BulkheadPolicy.Type type) {
        EventPublisher events = new EventPublisher();
        events.add(event -> {
            if (event instanceof CallQueued ended) {
                queued.add(ended);
            }
        });
        BulkheadPolicy policy = BulkheadPolicy.builder()
                .type(type)
                .maxConcurrent(PLACES)
                .minConcurrent(PLACES)
                .maxQueue(4)
                .queueTimeout(Duration.ofNanos(300_000))
                .build();
        return new Bulkhead(
                "soak",
                policy,
                new Environment(TimeSource.system(), events, FaultClassification.ofJdk(), ContextCarrier.standard()));
    }

    /** Writes at once what would stand in the log of another test a second later. */
    @AfterEach
    void close() {
        bulkhead.close();
    }

    @Test
    void leavesNothingBehind() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < THREADS; i++) {
            Random random = new Random(i);
            threads.add(new Thread(() -> makeCalls(random)));
        }
        threads.forEach(Thread::start);
        interruptNowAndThen(threads);
        for (Thread thread : threads) {
            thread.join();
        }

        soon(() -> answered.get() == (long) THREADS * CALLS_EACH);
        soon(() -> bulkhead.running() == 0 && bulkhead.queued() == 0);
        assertThat(surprises).isEmpty();
        assertThat(most.get()).isEqualTo(PLACES);
        assertCountersAddUp();
        assertAllPlacesAreThere();
    }

    private void assertCountersAddUp() {
        assertThat(bulkhead.calls().get(BulkheadOutcome.ACCEPTED) - bodies.get())
                .as("calls cancelled between their place and their beginning")
                .isBetween(0L, cancelled.get());
        assertThat(bulkhead.calls().total()).isEqualTo((long) THREADS * CALLS_EACH);
        assertThat(bulkhead.calls().get(BulkheadOutcome.REJECTED)).isPositive();
        assertThat(bulkhead.calls().get(BulkheadOutcome.TIMED_OUT))
                .isEqualTo(queued.stream()
                        .filter(ended -> ended.outcome() == BulkheadOutcome.TIMED_OUT)
                        .count())
                .isPositive();
    }

    private void assertAllPlacesAreThere() {
        for (int i = 1; i <= PLACES; i++) {
            pipeline.callAsync(CompletableFuture::new);
            assertThat(bulkhead.running()).isEqualTo(i);
        }
        assertThat(bulkhead.queued()).isZero();
    }

    private static void interruptNowAndThen(List<Thread> threads) {
        Random random = new Random(99);
        while (threads.stream().anyMatch(Thread::isAlive)) {
            LockSupport.parkNanos(random.nextInt(500_000));
            threads.get(random.nextInt(threads.size())).interrupt();
        }
    }

    private void makeCalls(Random random) {
        for (int i = 0; i < CALLS_EACH; i++) {
            if (random.nextBoolean()) {
                callBlocking(random);
            } else {
                callAsynchronously(random);
            }
        }
    }

    private void callBlocking(Random random) {
        try {
            pipeline.call(() -> {
                bodies.incrementAndGet();
                enter();
                work(random);
                return leave(random);
            });
        } catch (BulkheadFullException | IllegalStateException expected) {
            // refused, or the body's own failure
        } catch (Throwable surprise) {
            surprises.add(surprise);
        } finally {
            Thread.interrupted();
            answered.incrementAndGet();
        }
    }

    /** A cancelled call leaves its place at once, though nothing stops its body: it is no longer counted then. */
    private void callAsynchronously(Random random) {
        boolean cancels = random.nextInt(3) == 0;
        Random ofBody = new Random(random.nextLong());
        CompletableFuture<String> answer = pipeline.callAsync(() -> {
            bodies.incrementAndGet();
            return cancels ? new CompletableFuture<>() : startBody(ofBody);
        });
        answer.whenComplete((result, failure) -> answered.incrementAndGet());
        if (cancels) {
            work(random);
            if (answer.cancel(true)) {
                cancelled.incrementAndGet();
            }
        }
    }

    private CompletableFuture<String> startBody(Random random) {
        CompletableFuture<String> body = new CompletableFuture<>();
        enter();
        ForkJoinPool.commonPool().execute(() -> {
            work(random);
            running.decrementAndGet();
            body.complete("ok");
        });
        return body;
    }

    private void enter() {
        most.accumulateAndGet(running.incrementAndGet(), Math::max);
    }

    private String leave(Random random) {
        running.decrementAndGet();
        if (random.nextInt(4) == 0) {
            throw new IllegalStateException("the body's own");
        }
        return "ok";
    }

    private static void work(Random random) {
        LockSupport.parkNanos(random.nextInt(10) == 0 ? 400_000 : random.nextInt(50_000));
    }
}
