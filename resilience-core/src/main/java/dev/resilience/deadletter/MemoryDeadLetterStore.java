package dev.resilience.deadletter;

import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Keeps letters in this process: for tests, and for calls whose loss at the end of the process is no harm.
 *
 * <p>Bounded: when letters hold as many bytes as they may, which is estimated, storing another one throws an {@link
 * IllegalStateException}; none makes room for another. Then of a replay that fails only the class of the failure is kept,
 * without its message. Safe for use by many threads.
 */
public final class MemoryDeadLetterStore implements DeadLetterStore {

    /** How many bytes letters hold at the most unless told otherwise: {@value}, which are 64 MiB. */
    public static final long DEFAULT_MAX_BYTES = 64 * 1024 * 1024;

    private final TimeSource time;
    private final long maxBytes;
    private final Map<String, MemoryLetter> letters = new LinkedHashMap<>(); // by id; also the lock
    private long bytes;

    public MemoryDeadLetterStore(TimeSource time) {
        this(time, DEFAULT_MAX_BYTES);
    }

    /**
     * @param maxBytes how many bytes letters hold at the most, about
     */
    public MemoryDeadLetterStore(TimeSource time, long maxBytes) {
        this.time = time;
        this.maxBytes = maxBytes;
    }

    @Override
    public void store(DeadLetter letter, Duration wait) {
        MemoryLetter added = MemoryLetter.waiting(letter, time.now(), after(wait));
        synchronized (letters) {
            if (letters.containsKey(letter.id())) {
                return;
            }
            if (bytes + added.bytes() > maxBytes) {
                throw new IllegalStateException("The memory for dead letters is full, with " + letters.size()
                        + " letters of about " + bytes + " bytes. At most " + maxBytes
                        + " are allowed ('resilience.dead-letter-store.memory.max-size'): replay or discard some, raise the "
                        + "limit, or keep them in a database");
            }
            letters.put(letter.id(), added);
            bytes += added.bytes();
        }
    }

    @Override
    public List<StoredLetter> list(String policy, int limit) {
        Instant wallTime = time.now();
        long now = time.nanoTime();
        synchronized (letters) {
            return of(policy)
                    .limit(limit)
                    .map(found -> found.stored(wallTime, now))
                    .toList();
        }
    }

    @Override
    public @Nullable StoredLetter find(String policy, String id) {
        Instant wallTime = time.now();
        long now = time.nanoTime();
        synchronized (letters) {
            MemoryLetter found = get(policy, id);
            return found == null ? null : found.stored(wallTime, now);
        }
    }

    @Override
    public Map<String, Long> sizes() {
        Map<String, Long> sizes = new LinkedHashMap<>();
        synchronized (letters) {
            letters.values().forEach(found -> sizes.merge(found.letter().policy(), 1L, Long::sum));
        }
        return sizes;
    }

    @Override
    public @Nullable ReplayClaim claim(String policy, String id, Duration lease) {
        long now = time.nanoTime();
        synchronized (letters) {
            MemoryLetter found = get(policy, id);
            return found == null || found.isReplaying(now) ? null : claim(found, lease);
        }
    }

    @Override
    public @Nullable ReplayClaim claimDue(String policy, Duration lease) {
        long now = time.nanoTime();
        synchronized (letters) {
            return of(policy)
                    .filter(found -> found.isDue(now))
                    .min(Comparator.comparingLong(found -> found.due() - now))
                    .map(found -> claim(found, lease))
                    .orElse(null);
        }
    }

    private ReplayClaim claim(MemoryLetter found, Duration lease) {
        MemoryLetter claimed = found.claimed(after(lease));
        letters.put(found.letter().id(), claimed);
        bytes += claimed.bytes() - found.bytes();
        return new ReplayClaim(claimed.letter(), claimed.replays(), claimed.fence());
    }

    @Override
    public boolean renew(ReplayClaim claim, Duration lease) {
        long until = after(lease);
        return change(claim, mine -> mine.renewed(until));
    }

    @Override
    public boolean succeeded(ReplayClaim claim) {
        synchronized (letters) {
            MemoryLetter found = letters.get(claim.letter().id());
            return found != null && found.isHeldBy(claim) && remove(found);
        }
    }

    @Override
    public boolean failed(ReplayClaim claim, LetterFailure failure, @Nullable Duration wait) {
        long due = after(wait == null ? Duration.ZERO : wait);
        return change(claim, mine -> mine.failed(failure, wait == null, due));
    }

    @Override
    public boolean postpone(ReplayClaim claim, Duration wait) {
        long due = after(wait);
        return change(claim, mine -> mine.postponed(due));
    }

    @Override
    public boolean discard(String policy, String id) {
        long now = time.nanoTime();
        synchronized (letters) {
            MemoryLetter found = get(policy, id);
            return found != null && !found.isReplaying(now) && remove(found);
        }
    }

    private boolean change(ReplayClaim claim, UnaryOperator<MemoryLetter> change) {
        synchronized (letters) {
            MemoryLetter found = letters.get(claim.letter().id());
            if (found == null || !found.isHeldBy(claim)) {
                return false;
            }
            MemoryLetter changed = change.apply(found);
            long more = changed.bytes() - found.bytes();
            MemoryLetter kept = more > 0 && bytes + more > maxBytes ? changed.withoutMessage() : changed;
            letters.put(claim.letter().id(), kept);
            bytes += kept.bytes() - found.bytes();
            return true;
        }
    }

    private boolean remove(MemoryLetter found) {
        letters.remove(found.letter().id());
        bytes -= found.bytes();
        return true;
    }

    private Stream<MemoryLetter> of(String policy) {
        return letters.values().stream().filter(found -> found.letter().policy().equals(policy));
    }

    private @Nullable MemoryLetter get(String policy, String id) {
        MemoryLetter found = letters.get(id);
        return found == null || !found.letter().policy().equals(policy) ? null : found;
    }

    private long after(Duration duration) {
        long longest = Long.MAX_VALUE / 2; // so that a difference of two times never overflows
        return time.nanoTime() + Math.min(longest, Durations.toNanos(duration));
    }
}
