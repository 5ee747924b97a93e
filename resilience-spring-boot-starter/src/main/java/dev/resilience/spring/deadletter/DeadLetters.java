package dev.resilience.spring.deadletter;

import dev.resilience.context.Attempt;
import dev.resilience.deadletter.DeadLetter;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.KeptCalls;
import dev.resilience.deadletter.LetterFailure;
import dev.resilience.deadletter.ReplayClaim;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.event.DeadLetterOutcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.LeaseKeeper;
import dev.resilience.pipeline.Environment;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryBudget;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.retry.TransactionState;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.time.Durations;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The dead letters of one retry policy: keeps calls that ran out of retries, and replays them. Several processes with one
 * store share the work: each letter is replayed by one of them at a time.
 *
 * <p>A replay is made at least once: a process that dies after the call and before it has removed the letter leaves it to
 * the next replay. Safe for use by many threads.
 */
public final class DeadLetters implements AutoCloseable {

    /** Automatic replays of a letter; an operator may go on. */
    static final int MAX_REPLAYS = 10;

    /** How long a claim is renewed: a call that hangs does not hold its letter for ever. */
    static final Duration MAX_LEASE = Duration.ofMinutes(10);

    private static final Duration LEASE = Duration.ofSeconds(30);

    /** From when a letter is stored until an automatic replay takes it, and after a replay that a policy refused. */
    private static final Duration FIRST_WAIT = Duration.ofMinutes(1);

    private static final Duration MAX_WAIT = Duration.ofHours(1);

    /** Long enough that letters which another version or application can read are mostly found by that. */
    private static final Duration UNREADABLE_WAIT = Duration.ofMinutes(10);

    private static final Duration SIZE_IS_FRESH = Duration.ofSeconds(5);

    /** When an operator has asked for all letters, or whether there is trouble. */
    private static final int LOOKED_AT = 100;

    /** Letters that are looked at again and again behind which others stand. */
    private static final int MAX_KEPT = 1_000;

    private static final Duration BETWEEN_LETTERS = Duration.ofMillis(100);

    private final String policy;
    private final DeadLetterStore store;
    private final TimeSource time;
    private final DeadLetterReports reports;
    private volatile @Nullable Size size;
    private volatile boolean isLosing; // the last call that ran out could not be kept

    /**
     * @param policy the name of the retry policy
     */
    public DeadLetters(String policy, DeadLetterStore store, Environment environment) {
        this.policy = policy;
        this.store = store;
        this.time = environment.time();
        this.reports = new DeadLetterReports(policy, environment);
    }

    private record Size(double letters, long readAt) {}

    /** Makes the call of a letter again, and returns when it has ended. */
    @FunctionalInterface
    public interface Replayer {

        /**
         * Makes the call.
         *
         * @param attempt current for the call, so that it tells afterwards how far the call has come
         * @throws UnreadableLetterException if there is no such method here, or if it does not take the arguments
         */
        void replay(DeadLetter letter, Attempt attempt) throws Throwable;
    }

    /**
     * A letter of which this application can make no call: its code has changed, it has not changed yet as where two versions
     * run side by side, or the letter is another application's. The call was not made. The message has no arguments.
     */
    public static final class UnreadableLetterException extends RuntimeException {

        private static final long serialVersionUID = 1;

        UnreadableLetterException(String message, @Nullable Throwable cause) {
            super(message, cause);
        }
    }

    /**
     * How a replay ended.
     *
     * @param failure why it failed or was not made; {@code null} if it succeeded
     */
    public record Replayed(Result result, @Nullable Throwable failure) {

        /** How it ended, in a word. */
        public enum Result {
            /** The letter is gone. */
            SUCCEEDED,
            /** The letter is gone: there was no replay. */
            DISCARDED,
            /** The letter is kept. Automatic replays leave it alone for a while. */
            FAILED,
            /** The letter is kept, and no automatic replay takes it again. */
            GIVEN_UP,
            /**
             * A policy refused each attempt before the method was called, or the letter cannot be read here: it is kept, and
             * this replay does not count.
             */
            NOT_MADE
        }

        /** Whether others may fare no better: a letter that cannot be read here says nothing about what it calls. */
        boolean isDown() {
            return failure != null && !(failure instanceof UnreadableLetterException);
        }
    }

    /** Where they are kept, which may be shared. */
    DeadLetterStore store() {
        return store;
    }

    /** Letters by what became of them in this process. */
    public OutcomeCounters<DeadLetterOutcome> calls() {
        return reports.calls();
    }

    /** How many letters the store has, about: asked once in 5 s at the most. NaN if the store cannot tell. */
    public double size() {
        Size known = size;
        if (known == null || time.nanoTime() - known.readAt >= SIZE_IS_FRESH.toNanos()) {
            known = new Size(count(), time.nanoTime()); // the answer may have taken long
            size = known;
        }
        return known.letters;
    }

    private double count() {
        Map<String, Long> sizes = ask("count the letters", store::sizes);
        return sizes == null ? Double.NaN : sizes.getOrDefault(policy, 0L);
    }

    /** What the store answers; {@code null} if it fails, which is logged. */
    private <T> @Nullable T ask(String toDoWhat, Supplier<@Nullable T> question) {
        try {
            return question.get();
        } catch (RuntimeException failed) {
            reports.storeFailed(toDoWhat, failed);
            return null;
        }
    }

    /**
     * Keeps a call. What goes wrong is counted and logged, and never thrown, so that it does not hide the call's own failure.
     *
     * @param failure which the caller gets, and of which {@link KeptCalls} tells from now on whether its call was kept;
     *     {@code null} if the caller gets a result
     * @param letter makes it; may throw
     */
    void keep(@Nullable Throwable failure, Supplier<DeadLetter> letter) {
        try {
            DeadLetter made = letter.get();
            Idempotency.uninterruptibly(
                    () -> { // a pool hands out no connection to an interrupted thread
                        store.store(made, FIRST_WAIT);
                        return made;
                    });
            size = null;
            isLosing = false;
            KeptCalls.note(failure, made.id());
            reports.stored(made);
        } catch (Throwable failed) { // a StackOverflowError of the codec too
            isLosing = true;
            KeptCalls.note(failure, null);
            reports.notStored(failed);
        }
    }

    /** Whether the last call that ran out of retries could not be kept, or the store does not answer. */
    public boolean areInTrouble() {
        return isLosing || Double.isNaN(size());
    }

    /** As {@link DeadLetterStore#list}. */
    public List<StoredLetter> list(int limit) {
        return store.list(policy, limit);
    }

    /** As {@link DeadLetterStore#find}. */
    public @Nullable StoredLetter find(String id) {
        return store.find(policy, id);
    }

    /**
     * As {@link DeadLetterStore#discard}, and counts it.
     *
     * @return {@code null} if there is no such letter, or if it is being replayed
     */
    public @Nullable Replayed discard(String id) {
        if (!store.discard(policy, id)) {
            return null;
        }
        size = null;
        reports.calls().count(DeadLetterOutcome.DISCARDED);
        return new Replayed(Replayed.Result.DISCARDED, null);
    }

    /**
     * Replays a letter on this thread, whether it is due or not.
     *
     * @return {@code null} if there is no such letter, or if it is being replayed
     */
    public @Nullable Replayed replay(String id, Replayer replayer) {
        ReplayClaim claim = store.claim(policy, id, LEASE);
        return claim == null ? null : replay(claim, replayer);
    }

    /**
     * Has all letters replayed or discarded on this thread, the oldest first, each once, and ten a second at the most, until a
     * policy refuses a replay. Never throws: a store that fails is logged.
     *
     * @param action gets the id
     * @param goesOn asked before each letter
     */
    void forEach(Function<String, @Nullable Replayed> action, BooleanSupplier goesOn) {
        Set<String> kept = new HashSet<>();
        double all = count(); // not those that come meanwhile
        try {
            List<String> left;
            do {
                left = list(LOOKED_AT + kept.size()).stream()
                        .map(found -> found.letter().id())
                        .filter(id -> !kept.contains(id))
                        .toList();
                for (String id : left) {
                    if (all-- < 1 || kept.size() == MAX_KEPT || !goesOn.getAsBoolean()) {
                        return;
                    }
                    Replayed ended = action.apply(id);
                    if (ended != null && ended.result() == Replayed.Result.NOT_MADE && ended.isDown()) {
                        return;
                    }
                    if (ended == null || ended.failure() != null) {
                        kept.add(id);
                    }
                    time.sleep(BETWEEN_LETTERS);
                }
            } while (!left.isEmpty());
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException failed) {
            reports.storeFailed("replay or discard all letters", failed);
        }
    }

    /** Removes what has been given up for long, of all policies of the store. Never throws. */
    void removeGivenUp(Duration retention) {
        ask("remove letters that were given up long ago", () -> store.removeGivenUp(retention));
        size = null;
    }

    /**
     * Replays the letter that has been due for the longest time, on this thread. Never throws: a store that fails is logged.
     *
     * @return {@code null} if none is due
     */
    public @Nullable Replayed replayDue(Replayer replayer) {
        ReplayClaim claim = ask("find a letter that is due", () -> store.claimDue(policy, LEASE));
        if (claim != null && isGivenUp(claim)) { // or will be now: its process has died in the last one
            return failed(
                    claim,
                    new IllegalStateException("It was replayed " + MAX_REPLAYS
                            + " times, and the last time its process ended before the call did"));
        }
        return claim == null ? null : replay(claim, replayer);
    }

    private Replayed replay(ReplayClaim claim, Replayer replayer) {
        Attempt attempt = Attempt.ofReplay();
        LeaseKeeper lease = new LeaseKeeper(time, LEASE, MAX_LEASE);
        try {
            // if another claim was made, that is reported when the replay ends
            lease.begin(left -> ask("renew a lease", () -> store.renew(claim, left)));
            replayer.replay(claim.letter(), attempt);
        } catch (Throwable failure) { // an Error of the method too
            lease.end();
            boolean isNotMade =
                    failure instanceof UnreadableLetterException || (isRefusal(failure) && !attempt.hasBegun());
            return isNotMade ? notMade(claim, failure) : failed(claim, failure);
        }
        lease.end();
        reports.replayed(claim);
        end(claim, () -> store.succeeded(claim));
        return new Replayed(Replayed.Result.SUCCEEDED, null);
    }

    /** Whether a policy refused a call for a reason that will be over. */
    private static boolean isRefusal(Throwable failure) {
        return (failure instanceof ResilienceException refusal && refusal.retryAfter() != null)
                || failure instanceof IdempotencyStoreException
                || failure instanceof DeadlineExceededException;
    }

    private Replayed notMade(ReplayClaim claim, Throwable failure) {
        Duration again = failure instanceof UnreadableLetterException ? UNREADABLE_WAIT : FIRST_WAIT;
        Duration wait = isGivenUp(claim) ? null : again;
        reports.replayFailed(claim, Replayed.Result.NOT_MADE, failure, wait);
        end(claim, () -> store.postpone(claim, wait));
        return new Replayed(Replayed.Result.NOT_MADE, failure);
    }

    private Replayed failed(ReplayClaim claim, Throwable failure) {
        Duration wait = claim.replays() >= MAX_REPLAYS
                ? null
                : Durations.min(MAX_WAIT, FIRST_WAIT.multipliedBy(1L << claim.replays()));
        Replayed.Result result = wait == null ? Replayed.Result.GIVEN_UP : Replayed.Result.FAILED;
        reports.replayFailed(claim, result, failure, wait);
        end(claim, () -> store.failed(claim, LetterFailure.of(failure), wait));
        return new Replayed(result, failure);
    }

    /** Whether a letter was given up before a claim: by then it was replayed as often as letters are. */
    private static boolean isGivenUp(ReplayClaim claim) {
        return claim.replays() > MAX_REPLAYS;
    }

    private void end(ReplayClaim claim, Supplier<Boolean> change) {
        size = null;
        ask("note how a replay ended", () -> {
            if (!Idempotency.uninterruptibly(change)) {
                throw new IllegalStateException("the replay of " + claim.letter()
                        + " took longer than its lease, and another one has begun or ended it");
            }
            return claim;
        });
    }

    /** Writes to the log what is folded. */
    @Override
    public void close() {
        reports.close();
    }

    /** A retry whose calls of protected methods are kept as dead letters when they run out. */
    public static final class KeepingRetry extends Retry {

        private final DeadLetters letters;

        public KeepingRetry(
                String name,
                RetryPolicy policy,
                Environment environment,
                @Nullable RetryBudget budget,
                TransactionState transactions,
                DeadLetters letters) {
            super(name, policy, environment, budget, transactions);
            this.letters = letters;
        }

        /** The retries of an application that keep letters, by their names in alphabetical order. */
        public static List<KeepingRetry> in(LiveRegistry registry) {
            Stream<Retry> all = registry.<Retry>ofKind("retry").values().stream();
            return all.filter(KeepingRetry.class::isInstance)
                    .map(KeepingRetry.class::cast)
                    .toList();
        }

        /** The letters that it keeps. */
        public DeadLetters letters() {
            return letters;
        }

        @Override
        public void close() {
            super.close();
            letters.close();
        }
    }
}
