package dev.resilience.simulation;

import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.DoubleSupplier;

/**
 * A callee with so many servers and a queue without end before them. It goes on with calls whose callers have given up: they
 * have a time limit, and the callee does not know.
 */
final class LimitedCallee {

    private final ManualTimeSource time;
    private final DoubleSupplier serviceSeconds;
    private final Duration timeout;
    private final Queue<CompletableFuture<Object>> queue = new ArrayDeque<>();
    private int busy;
    private LimitPhase phase = new LimitPhase("", 0, 0, 0);

    LimitedCallee(ManualTimeSource time, DoubleSupplier serviceSeconds, Duration timeout) {
        this.time = time;
        this.serviceSeconds = serviceSeconds;
        this.timeout = timeout;
    }

    void enter(LimitPhase next) {
        phase = next;
        serve();
    }

    CompletableFuture<Object> call() {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        Scheduled timer = time.schedule(timeout, () -> answer.completeExceptionally(new TimeoutException()));
        answer.whenComplete((result, failure) -> timer.cancel());
        if (!phase.hangs()) {
            queue.add(answer);
            serve();
        }
        return answer;
    }

    private void serve() {
        while (busy < phase.servers() && !queue.isEmpty()) {
            CompletableFuture<Object> next = queue.remove();
            busy++;
            long nanos = (long) (serviceSeconds.getAsDouble() * phase.slowdown() * 1e9);
            time.schedule(Duration.ofNanos(Math.max(1, nanos)), () -> {
                busy--;
                serve();
                next.complete("served");
            });
        }
    }
}
