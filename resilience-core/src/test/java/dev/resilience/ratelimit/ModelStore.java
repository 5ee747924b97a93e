package dev.resilience.ratelimit;

import dev.resilience.time.TimeSource;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** A store in memory, on a clock of the test, that can be down. */
final class ModelStore implements RateLimitStore {

    private final TimeSource time;
    private final Map<String, Double> backAt = new HashMap<>();
    private final Set<String> nodes = new HashSet<>();
    volatile boolean isDown;
    int questions;

    ModelStore(TimeSource time) {
        this.time = time;
    }

    @Override
    public RateLimitPolicy.Store type() {
        return RateLimitPolicy.Store.REDIS;
    }

    @Override
    public synchronized Answer take(Request request) {
        questions++;
        if (isDown) {
            throw new IllegalStateException("down");
        }
        double now = time.nanoTime() / 1e3;
        String id = request.limit() + request.key();
        double backlog = Math.max(0, backAt.getOrDefault(id, 0.0) - now) + request.debt() * request.interval();
        double usable = Math.floor((request.burst() - backlog) / request.interval() + 1e-6);
        double later = Math.floor((request.burst() + request.maxWait() - backlog) / request.interval() + 1e-6);
        int taken = (int) Math.max(
                Math.min(request.wanted(), Math.max(0, later)),
                Math.min(request.wanted() + request.ahead(), Math.max(0, usable)));
        backAt.put(id, now + backlog + taken * request.interval());
        return new Answer(taken, (long) backlog);
    }

    @Override
    public synchronized int nodes(String limit, String node) {
        nodes.add(limit + node);
        return (int) nodes.stream().filter(name -> name.startsWith(limit)).count();
    }
}
