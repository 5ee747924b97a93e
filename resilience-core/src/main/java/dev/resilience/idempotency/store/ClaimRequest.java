package dev.resilience.idempotency.store;

import java.time.Duration;

/**
 * A wish to run a call.
 *
 * @param key what the record is found by
 * @param owner a token of this very call, unlike every other call's on every machine
 * @param fingerprint a SHA-256, in hex, over the arguments, with the version of what it was made of before it, as in
 *     {@code 2:0f…}; at most 64 characters; empty if the policy does not compare them. It is compared with those of the
 *     same version alone
 * @param lease how long the record stays this owner's unless it is renewed
 * @param ttl how long its result will be kept, for a store that wants to know beforehand
 * @param takeOver whether an abandoned record may be taken over
 */
public record ClaimRequest(
        RecordKey key, String owner, String fingerprint, Duration lease, Duration ttl, boolean takeOver) {

    /** The same, to which an abandoned record of another owner is not given. */
    public ClaimRequest withoutTakeOver() {
        return new ClaimRequest(key, owner, fingerprint, lease, ttl, false);
    }

    /** Whether a record with this fingerprint is of a call with the same arguments, as far as they are compared. */
    public boolean hasArgumentsOf(String other) {
        return fingerprint.isEmpty()
                || other.isEmpty()
                || fingerprint.equals(other)
                || !version(fingerprint).equals(version(other));
    }

    private static String version(String fingerprint) {
        return fingerprint.substring(0, fingerprint.indexOf(':') + 1);
    }
}
