package dev.resilience.ratelimit;

import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.AsyncCall;
import dev.resilience.ratelimit.RateLimitStore.Answer;
import dev.resilience.ratelimit.RateLimitStore.Request;
import dev.resilience.time.Durations;
import dev.resilience.time.Moment;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import dev.resilience.time.WorkerThreads;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * A limit that several processes share, with one part for each key or one for all calls. Asks the store on threads of its own, and
 * knows whether it answers: a store that fails, or takes longer than a second (the first time five), is down until it has answered
 * again, which is tried once a second while calls come. For adapters. Safe for use by many threads.
 */
public final class SharedLimit implements Permits.Source {

    private static final LogLine DOWN = LogLine.warn("rate_limit_store_down");
    private static final LogLine UP = LogLine.info("rate_limit_store_up");
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration FIRST_TIMEOUT = Duration.ofSeconds(5); // it may have to connect
    private static final long BETWEEN_NOTES = RateLimitStore.SEEN_FOR.toNanos() / 15;

    final String name;
    final TimeSource time;
    final AtomicLong withoutStore = new AtomicLong();
    private final ThreadPoolExecutor threads;
    private final RateLimitStore store;
    private final String node;
    private final FoldedLog log;
    private final Map<SharedPermits, Boolean> parts = Collections.synchronizedMap(new WeakHashMap<>());
    private final AtomicLong nextProbe = new AtomicLong();
    private final AtomicLong nextNote;
    private volatile Duration timeout = FIRST_TIMEOUT;
    volatile State state;

    /** When the last question was put that was not answered. */
    volatile long failedAt;

    /** How many processes use the limit, as last seen. */
    volatile int nodes = 1;

    record State(boolean isDown, Moment since) {}

    /**
     * A limit in a store, which is to be {@linkplain RateLimitStore#prepare prepared}.
     *
     * @param node tells this process from others
     */
    public SharedLimit(String name, RateLimitStore store, String node, TimeSource time) {
        this.name = name;
        this.store = store;
        this.node = node;
        this.time = time;
        this.threads = WorkerThreads.pool("resilience-rate-limit-store-", WorkerThreads.MAX_THREADS, false);
        this.log = new FoldedLog(
                LoggerFactory.getLogger(SharedLimit.class), time, "Rate limit", name, "rate_limit_summary", Map::of);
        this.state = new State(false, Moment.now(time));
        this.failedAt = state.since.nanoTime();
        this.nextNote = new AtomicLong(failedAt);
        time.schedule(Duration.ZERO, this::note, threads); // so that the first call finds a connection
    }

    /** Lets the others know of this process. What is wrong with the store is seen by the next question. */
    private void note() {
        try {
            nodes = isDue(nextNote, time.nanoTime(), BETWEEN_NOTES) ? store.nodes(name, node) : nodes;
        } catch (RuntimeException failed) {
            nextNote.set(time.nanoTime());
        }
    }

    /**
     * The permits of a key, or of all calls.
     *
     * @param key {@code null} for all calls
     */
    @Override
    public Permits permits(@Nullable String key, RateLimitPolicy policy) {
        SharedPermits part = new SharedPermits(this, key, policy);
        parts.put(part, true);
        return part;
    }

    /** What the actuator shows: whether the store answers, since when, and how much this process took ahead or gave out without it. */
    @Override
    public Map<String, Object> view() {
        List<SharedPermits> now = List.copyOf(parts.keySet());
        return Map.of(
                "state", state.isDown ? "down" : "up",
                "since", state.since.text(),
                "nodes", nodes,
                "leased", now.stream().mapToLong(SharedPermits::leased).sum(),
                "decidedWithout", withoutStore.get());
    }

    /** Whether the caller is to ask if the store is up again. */
    boolean isProbeDue(long now) {
        return isDue(nextProbe, now, TIMEOUT.toNanos());
    }

    private static boolean isDue(AtomicLong next, long now, long pause) {
        long due = next.get();
        return now - due >= 0 && next.compareAndSet(due, now + pause);
    }

    /**
     * Asks the store on another thread.
     *
     * @param rest in how many nanoseconds
     * @param answered gets the answer, or {@code null} if there is none in time
     */
    void ask(long rest, Supplier<Request> request, Consumer<@Nullable Answer> answered) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        long put = time.nanoTime() + rest;
        Scheduled timer = time.schedule(
                timeout.plusNanos(rest),
                () -> answer.completeExceptionally(
                        new IllegalStateException("no answer in " + Durations.inWords(timeout))),
                WorkerThreads.ENDS);
        var unused = answer.whenComplete((given, failure) -> {
            timer.cancel();
            failedAt = failure == null ? failedAt : put;
            change(failure);
            answered.accept(given);
            if (failure == null) {
                note();
            }
        });
        Supplier<Answer> asking = () -> {
            Answer given = store.take(request.get());
            nextProbe.set(time.nanoTime()); // also if the answer is late
            timeout = TIMEOUT;
            return given;
        };
        var unusedToo = answer.completeAsync(asking, task -> time.schedule(Duration.ofNanos(rest), task, threads));
    }

    private synchronized void change(@Nullable Throwable failure) {
        State before = state;
        boolean isDown = failure != null;
        if (before.isDown == isDown) {
            return;
        }
        Moment now = Moment.now(time);
        nextProbe.set(now.nanoTime() + TIMEOUT.toNanos());
        state = new State(isDown, now);
        if (failure == null) {
            String lasted = Durations.inWords(before.since.until(now));
            log.write(UP, line -> line.log("Rate limit '{}': its store answers again, after {}", name, lasted));
        } else {
            String text = "Rate limit '{}': its store does not answer, so 'on-store-failure' decides: {}";
            log.write(DOWN, AsyncCall.unwrap(failure), (line, failed) -> line.log(text, name, failed));
        }
    }
}
