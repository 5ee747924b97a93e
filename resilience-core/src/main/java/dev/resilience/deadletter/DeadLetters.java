package dev.resilience.deadletter;

import dev.resilience.context.Attempt;
import dev.resilience.event.DeadLetterOutcome;
import dev.resilience.event.internal.OutcomeCounters;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of one retry policy: keeps calls that ran out of retries, and replays them. Several processes with one
 * store share the work: each letter is replayed by one of them at a time.
 *
 * <p>A replay is made at least once: a process that dies after the call and before it has removed the letter leaves it to
 * the next replay. Safe for use by many threads.
 */
public final class DeadLetters implements AutoCloseable {

    private static final Duration SIZE_IS_FRESH = Duration.ofSeconds(5);

    private final String policy;
    private final DeadLetterStore store;
    private final TimeSource time;
    private final OutcomeCounters<DeadLetterOutcome> calls = new OutcomeCounters<>(DeadLetterOutcome.class);
    private final DeadLetterLog log;
    private volatile @Nullable Size size;

    /**
     * @param policy the name of the retry policy
     */
    public DeadLetters(String policy, DeadLetterStore store, TimeSource time) {
        this.policy = policy;
        this.store = store;
        this.time = time;
        this.log = new DeadLetterLog(policy, time);
    }

    private record Size(double letters, long readAt) {}

    /** Where they are kept, which may be shared. */
    public DeadLetterStore store() {
        return store;
    }

    /** Letters by what became of them in this process. */
    public OutcomeCounters<DeadLetterOutcome> calls() {
        return calls;
    }

    /** How many letters the store has, about: asked once in 5 s at the most. NaN if the store cannot tell. */
    public double size() {
        Size known = size;
        long now = time.nanoTime();
        if (known == null || now - known.readAt >= SIZE_IS_FRESH.toNanos()) {
            known = new Size(count(), now);
            size = known;
        }
        return known.letters;
    }

    private double count() {
        try {
            return store.sizes().getOrDefault(policy, 0L);
        } catch (RuntimeException failed) {
            log.storeFailed("count the letters", failed);
            return Double.NaN;
        }
    }

    /**
     * Keeps a call. What goes wrong is counted and logged, and never thrown, so that it does not hide the call's own failure.
     *
     * @param failure which the caller gets, and of which {@link KeptCalls} tells from now on whether its call was kept;
     *     {@code null} if the caller gets a result
     * @param letter makes it; may throw
     */
    public void keep(@Nullable Throwable failure, Supplier<DeadLetter> letter) {
        boolean interrupted = Thread.interrupted(); // with which a pool hands out no connection
        try {
            DeadLetter made = letter.get();
            store.store(made, ReplayTimes.FIRST_WAIT);
            size = null;
            KeptCalls.put(failure, made.id());
            calls.count(DeadLetterOutcome.STORED);
            log.stored(made);
        } catch (Throwable failed) { // a StackOverflowError of the codec too
            KeptCalls.put(failure, null);
            calls.count(DeadLetterOutcome.STORE_FAILURE);
            log.notStored(failed);
        } finally {
            restore(interrupted);
        }
    }

    /**
     * A call has failed and is not kept.
     *
     * @param failure which an earlier call may have had too
     */
    public void notKept(Throwable failure) {
        KeptCalls.put(failure, null);
    }

    /** As {@link DeadLetterStore#list}. */
    public List<StoredLetter> list(int limit) {
        return store.list(policy, limit);
    }

    /** As {@link DeadLetterStore#find}. */
    public @Nullable StoredLetter find(String id) {
        return store.find(policy, id);
    }

    /** As {@link DeadLetterStore#discard}, and counts it. */
    public boolean discard(String id) {
        boolean discarded = store.discard(policy, id);
        if (discarded) {
            size = null;
            calls.count(DeadLetterOutcome.DISCARDED);
            log.discarded(id);
        }
        return discarded;
    }

    /**
     * Replays a letter on this thread, whether it is due or not.
     *
     * @return {@code null} if there is no such letter, or if it is being replayed
     */
    public @Nullable Replayed replay(String id, LetterReplayer replayer) {
        ReplayClaim claim = store.claim(policy, id, ReplayTimes.LEASE);
        return claim == null ? null : replay(claim, replayer);
    }

    /**
     * Replays the letter that has been due for the longest time, on this thread. Never throws: a store that fails is logged.
     *
     * @return {@code null} if none is due
     */
    public @Nullable Replayed replayDue(LetterReplayer replayer) {
        ReplayClaim claim;
        try {
            claim = store.claimDue(policy, ReplayTimes.LEASE);
        } catch (RuntimeException failed) {
            log.storeFailed("find a letter that is due", failed);
            return null;
        }
        if (claim != null && ReplayTimes.isGivenUp(claim)) { // or will be now: its process has died in the last one
            return failed(
                    claim,
                    new IllegalStateException("It was replayed " + ReplayTimes.MOST_REPLAYS
                            + " times, and the last time its process ended before the call did"));
        }
        return claim == null ? null : replay(claim, replayer);
    }

    private Replayed replay(ReplayClaim claim, LetterReplayer replayer) {
        String id = claim.letter().id();
        Attempt attempt = Attempt.ofReplay();
        ReplayLease lease = new ReplayLease(store, claim, time, log);
        try {
            lease.start();
            replayer.replay(claim.letter(), attempt);
        } catch (Throwable failure) { // an Error of the method too
            lease.end();
            boolean isRefused = ReplayTimes.isRefusal(failure) && !attempt.hasBegun();
            return isRefused || failure instanceof UnreadableLetterException
                    ? notMade(claim, failure)
                    : failed(claim, failure);
        }
        lease.end();
        calls.count(DeadLetterOutcome.REPLAYED);
        log.replayed(claim);
        change(claim, () -> store.succeeded(claim));
        return new Replayed(id, Replayed.Result.SUCCEEDED, null);
    }

    private Replayed notMade(ReplayClaim claim, Throwable failure) {
        Duration wait = ReplayTimes.waitAfter(failure);
        if (failure instanceof UnreadableLetterException) {
            calls.count(DeadLetterOutcome.REPLAY_FAILED);
            log.unreadable(claim.letter(), failure);
        }
        log.notMade(claim, failure, ReplayTimes.isGivenUp(claim) ? null : wait);
        change(claim, () -> store.postpone(claim, wait));
        return new Replayed(claim.letter().id(), Replayed.Result.NOT_MADE, failure);
    }

    private Replayed failed(ReplayClaim claim, Throwable failure) {
        Duration wait = ReplayTimes.waitAfter(claim.replays());
        calls.count(DeadLetterOutcome.REPLAY_FAILED);
        log.replayFailed(claim, failure, wait);
        change(claim, () -> store.failed(claim, LetterFailure.of(failure), wait));
        return new Replayed(
                claim.letter().id(), wait == null ? Replayed.Result.GIVEN_UP : Replayed.Result.FAILED, failure);
    }

    private void change(ReplayClaim claim, Supplier<Boolean> change) {
        size = null;
        boolean interrupted = Thread.interrupted();
        try {
            if (!change.get()) {
                log.claimLost(claim);
            }
        } catch (RuntimeException failed) {
            log.storeFailed("note how a replay ended, so that the letter is replayed again", failed);
        } finally {
            restore(interrupted);
        }
    }

    private static void restore(boolean interrupted) {
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Writes to the log what it has counted in place of single lines. */
    @Override
    public void close() {
        log.close();
    }
}
