package dev.resilience.context;

import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Which attempt of a retrying call the current thread works for. Retries inside retries multiply: three times three
 * attempts are nine calls, and with one service more twenty-seven. Code that retries can see here that another retry
 * stands around it, in this process or in the one that sent the request.
 *
 * <p>Safe for use by many threads; what it says about a retry never changes.
 */
public final class Attempt {

    /** Whether there are replays or idempotent calls, so that no call pays for what an application does not use. */
    static volatile boolean watchesBeginnings;

    private static volatile boolean remembersKeys;

    private final String by;
    private final int number;
    private final boolean isReplay;
    private final @Nullable Attempt replay; // around an attempt of the retry that is replayed
    private volatile boolean hasBegun; // a replay alone
    private volatile int ofHedge;
    private final @Nullable SentKeys keys;

    private Attempt(String by, int number, boolean isReplay, @Nullable Attempt replay, @Nullable SentKeys keys) {
        this.by = by;
        this.number = number;
        this.isReplay = isReplay;
        this.replay = replay;
        this.keys = keys;
    }

    /**
     * An attempt of a retry.
     *
     * @param by who repeats the call, in words for a log: a retry policy, or another service
     * @param number 1 for the first
     * @param outer the attempt that the retry itself is made in, if any
     */
    public static Attempt of(String by, int number, @Nullable Attempt outer) {
        int highest = outer == null ? number : Math.max(number, outer.number);
        Attempt replay = outer != null && outer.isReplay ? outer : null;
        return new Attempt(by, highest, false, replay, SentKeys.inside(outer));
    }

    /** A later attempt of the call that this is the first attempt of. For the retry. */
    public Attempt again(int asNumber) {
        return new Attempt(by, Math.max(asNumber, number), false, replay, keys == null ? null : keys.again());
    }

    /** Says which attempt of a hedged call this is; before anything else has it. For the hedge. */
    public Attempt ofHedge(int asNumber) {
        ofHedge = asNumber;
        return this;
    }

    /** Which attempt of a hedged call this is: the first, or the second, which runs beside that; 0 if it is none. */
    public int ofHedge() {
        return ofHedge;
    }

    /**
     * For adapters that send idempotency keys: from now on each call of a retry remembers those that its attempts have sent,
     * see {@link #keyFor}. Other applications do not pay for that.
     */
    public static void rememberKeys() {
        remembersKeys = true;
    }

    /** Whether calls of retries remember keys, and need an object of their own for that. For the retry. */
    public static boolean remembersKeys() {
        return remembersKeys;
    }

    /**
     * A random key for a request that this attempt sends, the same that an earlier attempt of the same call had for it.
     *
     * @param request what tells it from the others of the attempt; of equal ones, the second is the second of each attempt
     */
    public String keyFor(String request) {
        return keys == null ? UUID.randomUUID().toString() : keys.of(request);
    }

    /** A call that is made again when its caller has gone: no fallback answers for it, and it is not kept once more. */
    public static Attempt ofReplay() {
        watchesBeginnings = true;
        return new Attempt("the replay of a dead letter", 2, true, null, SentKeys.inside(null));
    }

    /** The first attempt in a replay, which is a first one for all that is inside it. For the retry. */
    public Attempt firstInReplay(String ofRetry) {
        return new Attempt(ofRetry, 1, false, this, SentKeys.inside(this));
    }

    /** A thread that works for the attempt is about to call the method. */
    void methodBegins() {
        if (replay != null) {
            replay.hasBegun = true;
        }
    }

    /**
     * The attempt that the current thread works for, the innermost, or {@code null} outside all retries. What a method of
     * an application asks to know whether it is called for the first time: {@code Attempt.current().number()}. Continuations
     * of an asynchronous result run outside it unless the context is carried to their thread.
     */
    public static @Nullable Attempt current() {
        return (Attempt) CallContext.ofThread()[CallContext.ATTEMPT];
    }

    /** Whether the thread makes a call again whose caller has gone; inside a retry of that call it is false again. */
    public boolean isReplay() {
        return isReplay;
    }

    /** Whether a replay has called the method, in any of its attempts, and not been refused before. */
    public boolean hasBegun() {
        return hasBegun;
    }

    /** Who repeats the call, in words. */
    public String by() {
        return by;
    }

    /**
     * How often it was tried, this time included: the highest number of this retry and those around it, because a first
     * attempt inside a second one is a repetition to whom it reaches.
     */
    public int number() {
        return number;
    }

    @Override
    public String toString() {
        return "attempt " + number + " of " + by;
    }

    /**
     * The keys that the attempts of one call have sent.
     *
     * @param sent by request, by all that is inside the outermost retry
     * @param path which of the retried calls inside that one this is
     * @param counts how often one attempt has asked
     */
    private record SentKeys(Map<String, String> sent, String path, Map<String, Integer> counts) {

        static @Nullable SentKeys inside(@Nullable Attempt outer) {
            if (!remembersKeys) {
                return null;
            }
            SentKeys around = outer == null ? null : outer.keys;
            Map<String, String> sent = around == null ? new ConcurrentHashMap<>() : around.sent;
            return new SentKeys(sent, around == null ? "" : around.numbered("retry"), new ConcurrentHashMap<>());
        }

        SentKeys again() {
            return new SentKeys(sent, path, new ConcurrentHashMap<>());
        }

        String of(String request) {
            return sent.computeIfAbsent(
                    numbered(request), unknown -> UUID.randomUUID().toString());
        }

        private String numbered(String what) {
            return path + what + " " + counts.merge(what, 1, Integer::sum) + ", ";
        }
    }
}
