package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.TimeLimitOutcome;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;

/** A time limit of five seconds on manual time, and threads that call through it. */
final class TestTimeLimit {

    static final Duration TIMEOUT = Duration.ofSeconds(5);

    final ManualTimeSource time = new ManualTimeSource();
    final List<ResilienceEvent> events = Collections.synchronizedList(new ArrayList<>());
    final TimeLimit limit;
    final Pipeline pipeline;

    TestTimeLimit(RunsOn thread) {
        this(thread, 10);
    }

    TestTimeLimit(RunsOn thread, int mostWorkers) {
        this(thread, mostWorkers, ContextCarrier.standard());
    }

    TestTimeLimit(RunsOn thread, int mostWorkers, ContextCarrier carrier) {
        EventPublisher heard = new EventPublisher();
        heard.add(events::add);
        TimeLimitPolicy policy =
                TimeLimitPolicy.builder().timeout(TIMEOUT).thread(thread).build();
        this.limit = new TimeLimit(
                "orders",
                policy,
                new Environment(time, heard, FaultClassification.ofJdk(), carrier),
                mostWorkers,
                false);
        this.pipeline = Pipeline.of(limit);
    }

    /** Lets the time of every running call be over. */
    void timeIsOver() {
        time.advance(TIMEOUT);
    }

    void assertCounted(long inTime, long timedOut) {
        assertThat(new long[] {
                    limit.calls().get(TimeLimitOutcome.IN_TIME), limit.calls().get(TimeLimitOutcome.TIMED_OUT)
                })
                .as("in time, timed out")
                .containsExactly(inTime, timedOut);
    }

    /** Calls on a thread of its own. */
    Call start(Callable<?> body) {
        return start(pipeline, body);
    }

    /** As {@link #start(Callable)}, and returns when the body runs. */
    Call startAndAwait(Callable<?> body) {
        CountDownLatch begun = new CountDownLatch(1);
        Call call = start(() -> {
            begun.countDown();
            return body.call();
        });
        soon(() -> begun.getCount() == 0);
        return call;
    }

    static Call start(Pipeline through, Callable<?> body) {
        return startThread(() -> through.call(body::call));
    }

    static Call startThread(Callable<?> work) {
        CompletableFuture<Ended> ended = new CompletableFuture<>();
        Thread thread = new Thread(() -> {
            Object result = null;
            Throwable failure = null;
            try {
                result = work.call();
            } catch (Throwable thrown) {
                failure = thrown;
            }
            ended.complete(new Ended(result, failure, Thread.currentThread().isInterrupted()));
        });
        thread.setDaemon(true);
        thread.start();
        return new Call(thread, ended);
    }

    /** A call on a thread of its own. */
    record Call(Thread thread, CompletableFuture<Ended> ended) {

        Ended end() {
            assertThat(ended).succeedsWithin(Duration.ofSeconds(30));
            return ended.join();
        }
    }

    /** How a call ended, and whether its thread carried the interrupt flag then. */
    record Ended(@Nullable Object result, @Nullable Throwable failure, boolean interrupted) {}

    /** Blocks until the thread is interrupted. */
    static Object blocked() throws InterruptedException {
        new CountDownLatch(1).await();
        throw new AssertionError();
    }

    /** Blocks whatever happens, as native code does, until the latch is open. Interrupts are swallowed. */
    static void deaf(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException ignored) {
                // that is the point
            }
        }
    }

    static void soon(Callable<Boolean> condition) {
        await().pollInSameThread()
                .pollDelay(Duration.ZERO)
                .pollInterval(Duration.ofMillis(1))
                .atMost(Duration.ofSeconds(30))
                .until(condition);
    }
}
