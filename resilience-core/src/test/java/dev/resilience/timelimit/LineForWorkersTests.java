package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.concurrency.StubTime;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.EventPublisher;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.timelimit.TestTimeLimit.Call;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A call that ends without a worker leaves their line: not even what it took along comes to one. */
@Timeout(60)
class LineForWorkersTests {

    private static final String NO_WORKER = "Time limit 'orders' exceeded: no worker thread became free within 5 s";

    private final AtomicInteger cameToAWorker = new AtomicInteger();
    private final ContextCarrier counting = task -> () -> {
        cameToAWorker.incrementAndGet();
        task.run();
    };
    private final Time time = new Time();
    private final TimeLimit limit = new TimeLimit(
            "orders",
            new TimeLimitPolicy(TestTimeLimit.TIMEOUT, RunsOn.WORKER, 1),
            new Environment(time, new EventPublisher(), FaultClassification.ofJdk(), counting),
            1,
            false);
    private final Pipeline pipeline = Pipeline.of(limit);
    private final CountDownLatch latch = new CountDownLatch(1);
    private final Call running;

    LineForWorkersTests() {
        CountDownLatch begun = new CountDownLatch(1);
        running = TestTimeLimit.start(pipeline, () -> {
            begun.countDown();
            TestTimeLimit.deaf(latch);
            return "ok";
        });
        TestTimeLimit.deaf(begun);
    }

    @AfterEach
    void onlyOneCameToAWorker() {
        latch.countDown();
        assertThat(running.end().result()).isEqualTo("ok");
        TestTimeLimit.soon(() -> limit.workers() == 0);
        assertThat(cameToAWorker).hasValue(1);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whenItsTimeIsOverWhileItStandsThere(boolean asynchronous) {
        Call call = start(asynchronous);
        TestTimeLimit.soon(() -> call.thread().getState() == Thread.State.WAITING);

        time.timerGoesOff();

        assertThat(call.end().failure()).hasStackTraceContaining(NO_WORKER);
    }

    @Test
    void whenItIsCancelledWhileItStandsThere() {
        CompletableFuture<String> answer = pipeline.callAsync(CompletableFuture::new);

        answer.cancel(true);

        assertThat(time.hasTimer()).isFalse();
    }

    private Call start(boolean asynchronous) {
        return asynchronous
                ? TestTimeLimit.startThread(
                        () -> pipeline.callAsync(CompletableFuture::new).join())
                : TestTimeLimit.start(pipeline, () -> "never");
    }

    /** Time that may be over before there is anybody to tell. */
    private static final class Time extends StubTime {

        volatile boolean over;

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            Scheduled timer = super.schedule(delay, task);
            if (over) {
                timerGoesOff();
            }
            return timer;
        }
    }
}
