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
import java.util.function.Function;
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

    private final TimeSource time;
    private final LeasedRows<String, Row> letters;
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
            LetterFailure failure = letter.failure();
            long texts = (long) names.length()
                    + failure.type().length()
                    + failure.message().length();
            return texts + letter.arguments().length;
        }
    }

    @Override
    public synchronized void store(DeadLetter letter, Duration wait) {
        if (letters.get(letter.id()) == null) {
            Row added = new Row(letter, stored++, time.now(), State.WAITING, 0, 0, letters.after(wait));
            letters.add(letter.id(), added);
        }
    }

    @Override
    public List<StoredLetter> list(String policy, int limit) {
        return letters.all().values().stream()
                .filter(row -> row.letter.policy().equals(policy))
                .sorted(Comparator.comparingLong(Row::number))
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
    public Map<String, Long> sizes() {
        Map<String, Long> sizes = new HashMap<>();
        letters.all().values().forEach(row -> sizes.merge(row.letter.policy(), 1L, Long::sum));
        return sizes;
    }

    @Override
    public synchronized @Nullable ReplayClaim claim(String policy, String id, Duration lease) {
        Row found = get(policy, id);
        return found == null || found.isReplaying(time.nanoTime()) ? null : claim(found, lease);
    }

    @Override
    public synchronized @Nullable ReplayClaim claimDue(String policy, Duration lease) {
        long now = time.nanoTime();
        return letters.all().values().stream()
                .filter(row -> row.letter.policy().equals(policy) && row.state != State.GIVEN_UP && row.due - now <= 0)
                .min(Comparator.<Row>comparingLong(row -> row.due - now).thenComparingLong(Row::number))
                .map(first -> claim(first, lease))
                .orElse(null);
    }

    private ReplayClaim claim(Row found, Duration lease) {
        Row claimed =
                found.next(found.letter, State.REPLAYING, found.replays + 1, found.fence + 1, letters.after(lease));
        letters.replace(found.letter.id(), claimed);
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
        return letters.change(
                claim.letter().id(), found -> found.state == State.REPLAYING && found.fence == claim.fence(), change);
    }

    @Override
    public synchronized boolean discard(String policy, String id) {
        long now = time.nanoTime();
        return letters.change(
                id, found -> found.letter.policy().equals(policy) && !found.isReplaying(now), found -> null);
    }

    @Override
    public synchronized int removeGivenUp(Duration age) {
        long now = time.nanoTime();
        int before = letters.all().size();
        letters.all().forEach((id, row) -> {
            if (row.state == State.GIVEN_UP && now - row.due >= Durations.toNanos(age)) {
                letters.replace(id, null);
            }
        });
        return before - letters.all().size();
    }

    private @Nullable Row get(String policy, String id) {
        Row found = letters.get(id);
        return found == null || !found.letter.policy().equals(policy) ? null : found;
    }
}
