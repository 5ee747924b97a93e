package dev.resilience.bulkhead;

import dev.resilience.event.BulkheadOutcome;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/** What a bulkhead does with asynchronous calls, which are numbers here: who runs, who waits, and in which order. */
class ReferenceBulkhead {

    final Map<BulkheadOutcome, Integer> counts = new EnumMap<>(BulkheadOutcome.class);
    final List<Integer> running = new ArrayList<>();
    final List<Waiting> queue = new ArrayList<>();
    private BulkheadPolicy policy;
    private boolean stopped;

    ReferenceBulkhead(BulkheadPolicy policy) {
        this.policy = policy;
    }

    record Waiting(int call, long until) {}

    Set<Integer> waiting() {
        return queue.stream().map(Waiting::call).collect(Collectors.toSet());
    }

    void call(int call, long now, long patience) {
        long timeout = Math.min(patience, policy.queueTimeout().toNanos());
        if (queue.isEmpty() && running.size() < policy.maxConcurrent()) {
            run(call);
        } else if (stopped || queue.size() >= policy.maxQueue()) {
            count(BulkheadOutcome.REJECTED);
        } else {
            queue.add(new Waiting(call, now + timeout));
        }
    }

    /** It returns, fails or is cancelled. */
    void end(int call) {
        if (running.remove((Integer) call)) {
            serve();
        } else if (queue.removeIf(waiting -> waiting.call == call)) {
            count(BulkheadOutcome.REJECTED);
        }
    }

    void timePasses(long now) {
        queue.stream().filter(waiting -> isOver(waiting, now)).forEach(late -> count(BulkheadOutcome.TIMED_OUT));
        queue.removeIf(waiting -> isOver(waiting, now));
    }

    void reconfigure(BulkheadPolicy changed) {
        policy = changed;
        serve();
    }

    void stopWaits() {
        stopped = true;
        queue.forEach(waiting -> count(BulkheadOutcome.REJECTED));
        queue.clear();
    }

    void resume() {
        stopped = false;
    }

    void serve() {
        while (!queue.isEmpty() && running.size() < policy.maxConcurrent()) {
            run(queue.remove(next()).call);
        }
    }

    /** First come, first served. */
    int next() {
        return 0;
    }

    boolean isOver(Waiting waiting, long now) {
        return waiting.until <= now;
    }

    private void run(int call) {
        running.add(call);
        count(BulkheadOutcome.ACCEPTED);
    }

    private void count(BulkheadOutcome outcome) {
        counts.merge(outcome, 1, Integer::sum);
    }
}
