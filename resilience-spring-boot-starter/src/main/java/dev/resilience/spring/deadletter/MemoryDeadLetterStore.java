package dev.resilience.spring.deadletter;

import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.idempotency.store.LeasedRows;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Keeps letters in this process: for tests, and for calls whose loss at the end of the process is no harm.
 *
 * <p>Bounded: when texts and arguments of letters hold as many bytes as they may, storing another one throws an {@link
 * IllegalStateException}; none makes room for another. How a replay failed is stored beyond the bound if need be. Safe for use
 * by many threads.
 */
public final class MemoryDeadLetterStore implements DeadLetterStore {

    /** How many bytes letters hold at the most unless told otherwise: {@value}, which are 64 MiB. */
    public static final long DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

    /** The queue of those that are given up: no policy has an empty name. */
    private static final String GIVEN_UP = "";

    private static final Comparator<Row> BY_NUMBER = Comparator.comparingLong(Row::number);
    private static final Comparator<Row> BY_TIME =
            ((Comparator<Row>) (one, other) -> Long.signum(one.due - other.due)).thenComparing(BY_NUMBER);

    private final TimeSource time;
    private final LeasedRows<String, Row> letters;
    private final Map<String, NavigableSet<Row>> policies = new HashMap<>(); // no operation looks at all letters
    private final Map<String, NavigableSet<Row>> queues = new HashMap<>();
    private long stored;

    public MemoryDeadLetterStore(TimeSource time) {
        this(time, DEFAULT_MAX_BYTES);
    }

    /**
     * @param maxBytes how many bytes texts and arguments of letters hold at the most
     */
    public MemoryDeadLetterStore(TimeSource time, long maxBytes) {
        this.time = time;
        this.letters = new LeasedRows<>(
                time,
                maxBytes,
                "The memory for dead letters is full, with %s letters of %s bytes. At most %s are allowed "
                        + "('resilience.dead-letter-store.memory.max-size'): replay or discard some, raise the limit, or "
                        + "keep them in a database");
    }

    /**
     * A letter, and where it stands.
     *
     * @param number in the order in which letters are stored
     * @param state waiting, replaying or given up
     * @param due when its wait or its lease ends, or when it was given up, by {@link TimeSource#nanoTime()}
     */
    private record Row(DeadLetter letter, long number, Instant storedAt, State state, int replays, long fence, long due)
            implements LeasedRows.Row {

        Row next(DeadLetter changed, State next, int counted, long fenced, long dueNext) {
            return new Row(changed, number, storedAt, next, counted, fenced, dueNext);
        }

        /** That of what may become due in the policy, or that of what is given up in all of them. */
        String queue() {
            return state == State.GIVEN_UP ? GIVEN_UP : letter.policy();
        }

        boolean isReplaying(long now) {
            return state == State.REPLAYING && due - now > 0;
        }

        StoredLetter view(long now, Instant wallTime) {
            return new StoredLetter(
                    letter,
                    storedAt,
                    State.of(state, replays, isReplaying(now)),
                    replays,
                    state == State.GIVEN_UP ? null : wallTime.plusNanos(due - now));
        }

        @Override
        public @Nullable Long overAt() {
            return null;
        }

        /** Characters of texts take one each. */
        @Override
        public long bytes() {
            String names = letter.id() + letter.policy() + letter.bean() + letter.operation();
            String failure = letter.failure().type() + letter.failure().message();
            return (long) names.length() + failure.length() + letter.arguments().length;
        }
    }

    @Override
    public synchronized void store(DeadLetter letter, Duration wait) {
        if (letters.get(letter.id()) == null) {
            Row added = new Row(letter, stored++, time.now(), State.WAITING, 0, 0, letters.after(wait));
            letters.add(letter.id(), added);
            index(null, added);
        }
    }

    private NavigableSet<Row> ofPolicy(String name) {
        return policies.computeIfAbsent(name, first -> new TreeSet<>(BY_NUMBER));
    }

    private NavigableSet<Row> queue(String name) {
        return queues.computeIfAbsent(name, first -> new TreeSet<>(BY_TIME));
    }

    /** Returns the row that is in the place of the other one. */
    private @Nullable Row index(@Nullable Row before, @Nullable Row after) {
        if (before != null) {
            ofPolicy(before.letter.policy()).remove(before);
            queue(before.queue()).remove(before);
        }
        if (after != null) {
            ofPolicy(after.letter.policy()).add(after);
            queue(after.queue()).add(after);
        }
        return after;
    }

    @Override
    public synchronized List<StoredLetter> list(String policy, int limit) {
        return ofPolicy(policy).stream()
                .limit(limit)
                .map(row -> row.view(time.nanoTime(), time.now()))
                .toList();
    }

    @Override
    public @Nullable StoredLetter find(String policy, String id) {
        Row found = get(policy, id);
        return found == null ? null : found.view(time.nanoTime(), time.now());
    }

    @Override
    public synchronized Map<String, Long> sizes() {
        Map<String, Long> sizes = new HashMap<>();
        policies.forEach((policy, rows) -> sizes.put(policy, (long) rows.size()));
        sizes.values().removeIf(size -> size == 0);
        return sizes;
    }

    @Override
    public synchronized @Nullable ReplayClaim claim(String policy, String id, Duration lease) {
        Row found = get(policy, id);
        return found == null || found.isReplaying(time.nanoTime()) ? null : claim(found, lease);
    }

    @Override
    public synchronized @Nullable ReplayClaim claimDue(String policy, Duration lease) {
        NavigableSet<Row> queue = queue(policy);
        return queue.isEmpty() || queue.first().due - time.nanoTime() > 0 ? null : claim(queue.first(), lease);
    }

    private ReplayClaim claim(Row found, Duration lease) {
        Row claimed =
                found.next(found.letter, State.REPLAYING, found.replays + 1, found.fence + 1, letters.after(lease));
        letters.replace(found.letter.id(), index(found, claimed));
        return new ReplayClaim(claimed.letter, claimed.replays, claimed.fence);
    }

    @Override
    public synchronized boolean renew(ReplayClaim claim, Duration lease) {
        return change(
                claim, mine -> mine.next(mine.letter, mine.state, mine.replays, mine.fence, letters.after(lease)));
    }

    @Override
    public synchronized boolean succeeded(ReplayClaim claim) {
        return change(claim, mine -> null);
    }

    @Override
    public synchronized boolean failed(ReplayClaim claim, LetterFailure failure, @Nullable Duration wait) {
        return change(claim, mine -> released(mine, mine.letter.with(failure), mine.replays, wait));
    }

    @Override
    public synchronized boolean postpone(ReplayClaim claim, @Nullable Duration wait) {
        return change(claim, mine -> released(mine, mine.letter, mine.replays - 1, wait));
    }

    private Row released(Row row, DeadLetter letter, int replays, @Nullable Duration wait) {
        return wait == null
                ? row.next(letter, State.GIVEN_UP, replays, row.fence, time.nanoTime())
                : row.next(letter, State.WAITING, replays, row.fence, letters.after(wait));
    }

    private boolean change(ReplayClaim claim, Function<Row, @Nullable Row> change) {
        return change(
                claim.letter().id(), found -> found.state == State.REPLAYING && found.fence == claim.fence(), change);
    }

    private boolean change(String id, Predicate<Row> which, Function<Row, @Nullable Row> change) {
        return letters.change(id, which, found -> index(found, change.apply(found)));
    }

    @Override
    public synchronized boolean discard(String policy, String id) {
        long now = time.nanoTime();
        return change(id, found -> found.letter.policy().equals(policy) && !found.isReplaying(now), found -> null);
    }

    @Override
    public synchronized int removeGivenUp(Duration age) {
        NavigableSet<Row> givenUp = queue(GIVEN_UP);
        int before = givenUp.size();
        while (!givenUp.isEmpty() && time.nanoTime() - givenUp.first().due >= Durations.toNanos(age)) {
            letters.replace(givenUp.first().letter.id(), index(givenUp.first(), null));
        }
        return before - givenUp.size();
    }

    private @Nullable Row get(String policy, String id) {
        Row found = letters.get(id);
        return found == null || !found.letter.policy().equals(policy) ? null : found;
    }
}
