package dev.resilience.bulkhead;

import dev.resilience.concurrency.Seeds;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** One random step after the other, made by a real bulkhead and by the reference, which are compared after each. */
final class BulkheadHistory {

    private static final int STEPS = 120;

    private final Random random;
    private final ManualTimeSource time = new ManualTimeSource();
    private final Bulkhead real;
    private final Pipeline pipeline;
    private final ReferenceBulkhead reference;
    private final List<Integer> began = new ArrayList<>();
    private final Map<Integer, Call> open = new TreeMap<>();
    private int calls;

    private record Call(CompletableFuture<String> body, CompletableFuture<String> answer) {}

    BulkheadHistory(long seed, Function<BulkheadPolicy, ReferenceBulkhead> model) {
        this.random = Seeds.random(seed);
        BulkheadPolicy policy = policy();
        this.real = new Bulkhead("orders", policy, Environment.of(time));
        this.pipeline = Pipeline.of(real);
        this.reference = model.apply(policy);
    }

    private BulkheadPolicy policy() {
        return BulkheadPolicy.builder()
                .maxConcurrent(1 + random.nextInt(4))
                .maxQueue(random.nextInt(5))
                .queueTimeout(Duration.ofSeconds(1 + random.nextInt(10)))
                .build();
    }

    void run() {
        for (int step = 0; step < STEPS; step++) {
            step();
            compare(step);
        }
    }

    private void step() {
        int action = random.nextInt(100);
        if (action < 40) {
            call();
        } else if (action < 75) {
            end();
        } else if (action < 93) {
            time.advance(Duration.ofMillis(500L * random.nextInt(8)));
            reference.timePasses(time.nanoTime());
        } else if (action < 97) {
            BulkheadPolicy changed = policy();
            reference.reconfigure(changed);
            real.reconfigure(changed);
        } else if (action < 98) {
            reference.stopWaits();
            real.stopWaits();
        } else {
            reference.resume();
            real.resume();
        }
    }

    private void call() {
        int number = calls++;
        CompletableFuture<String> body = new CompletableFuture<>();
        Duration left = Duration.ofMillis(500L * (1 + random.nextInt(30)));
        new CallContext(Deadline.in(left, time), null).run(() -> {
            CompletableFuture<String> answer = pipeline.callAsync(() -> {
                began.add(number);
                return body;
            });
            open.put(number, new Call(body, answer));
        });
        reference.call(number, time.nanoTime(), left.toNanos());
    }

    private void end() {
        if (open.isEmpty()) {
            return;
        }
        List<Integer> numbers = List.copyOf(open.keySet());
        int number = numbers.get(random.nextInt(numbers.size()));
        Call call = open.get(number);
        switch (reference.running.contains(number) ? random.nextInt(3) : 0) {
            case 0 -> call.answer.cancel(true);
            case 1 -> call.body.completeExceptionally(new IllegalStateException("down"));
            default -> call.body.complete("ok");
        }
        reference.end(number);
    }

    private void compare(int step) {
        open.values().removeIf(call -> call.answer.isDone());
        Set<Integer> waiting = new TreeSet<>(open.keySet());
        waiting.removeAll(began);
        Set<Integer> running = new TreeSet<>(open.keySet());
        running.retainAll(began);
        check(step, "running", new TreeSet<>(reference.running), running);
        check(step, "waiting", reference.waiting(), waiting);
        check(step, "number of running calls", reference.running.size(), real.running());
        check(step, "number of waiting calls", reference.queue.size(), real.queued());
        for (BulkheadOutcome outcome : BulkheadOutcome.values()) {
            check(
                    step,
                    outcome,
                    (long) reference.counts.getOrDefault(outcome, 0),
                    real.calls().get(outcome));
        }
    }

    private static void check(int step, Object what, Object expected, Object actual) {
        if (!expected.equals(actual)) {
            throw new AssertionError("After step %d, expected %s %s, not %s".formatted(step, what, expected, actual));
        }
    }
}
