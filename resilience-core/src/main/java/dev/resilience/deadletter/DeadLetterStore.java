package dev.resilience.deadletter;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Keeps dead letters. A bean of this type replaces the library's own stores.
 *
 * <pre>{@code
 *    ┌────────────claim───────────┐ ┌─claim, when the lease has ended
 *    │                            ▼ ▼ │
 * WAITING ◀──failed, postpone── REPLAYING ──succeeded──▶ gone
 *                                 │ ▲
 *      failed, postpone for ever  ▼ │ claim
 *                               GIVEN_UP
 * }</pre>
 *
 * <p>One claim at a time holds a letter, until its lease ends; the owner that died or hung loses it by the next claim alone,
 * which has a higher fence. Every method is atomic for its letter, and those that write do so in a transaction of their own,
 * because the caller's is often rolled back with the failure. Leases and waits are measured by the store's own clock.
 * Implementations are safe for use by many threads, and throw any {@link RuntimeException} when they cannot answer.
 */
public interface DeadLetterStore {

    /**
     * Called when the application starts, if a policy keeps dead letters.
     *
     * @throws RuntimeException if the store cannot work, with the cure in its message
     */
    default void prepare() {}

    /**
     * Keeps a letter. Storing one that is there, which is sent again because the answer was lost, changes nothing.
     *
     * @param wait how long automatic replays leave it alone from now on
     * @throws RuntimeException if it is not kept, because the store is full or down
     */
    void store(DeadLetter letter, Duration wait);

    /**
     * The letters of a policy, in the order in which they were stored.
     *
     * @param limit how many at most; at least 1
     */
    List<StoredLetter> list(String policy, int limit);

    /** A letter of a policy, or {@code null} if there is none. */
    @Nullable
    StoredLetter find(String policy, String id);

    /** How many letters there are in all states, by policy. A policy without letters may be missing. */
    Map<String, Long> sizes();

    /**
     * Takes a letter for a replay, unless it is being replayed: due or not, given up or not.
     *
     * @return {@code null} if there is no such letter, or if another claim holds it
     */
    @Nullable
    ReplayClaim claim(String policy, String id, Duration lease);

    /**
     * Takes the letter of a policy that has been due for the longest time. Due is one whose wait is over, and one that is
     * being replayed and whose lease is over; one that is given up never is.
     *
     * @return {@code null} if none is due
     */
    @Nullable
    ReplayClaim claimDue(String policy, Duration lease);

    /**
     * Makes the lease of a claim begin anew, even if it has run out, as long as no other claim was made.
     *
     * @return false if the letter is no longer the claim's
     */
    boolean renew(ReplayClaim claim, Duration lease);

    /**
     * Removes a letter: it was replayed.
     *
     * @return false if the letter is no longer the claim's
     */
    boolean succeeded(ReplayClaim claim);

    /**
     * Keeps a letter whose replay failed, with this failure in place of the one before.
     *
     * @param wait how long automatic replays leave it alone from now on; {@code null} to give it up
     * @return false if the letter is no longer the claim's
     */
    boolean failed(ReplayClaim claim, LetterFailure failure, @Nullable Duration wait);

    /**
     * Gives a letter back that was not replayed after all: this replay is not counted.
     *
     * @param wait how long automatic replays leave it alone from now on; {@code null} to give it up again
     * @return false if the letter is no longer the claim's
     */
    boolean postpone(ReplayClaim claim, @Nullable Duration wait);

    /**
     * Removes a letter that is not to be replayed any more, unless it is being replayed.
     *
     * @return false if there is no such letter, or if a claim holds it
     */
    boolean discard(String policy, String id);

    /**
     * Removes letters of all policies that have been given up for at least this long, a batch of them: called again and again.
     * A store that does nothing keeps them until they are discarded.
     *
     * @return how many
     */
    default int removeGivenUp(Duration age) {
        return 0;
    }
}
