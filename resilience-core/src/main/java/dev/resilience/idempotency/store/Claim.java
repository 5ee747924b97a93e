package dev.resilience.idempotency.store;

import java.time.Duration;

/** What became of a {@link ClaimRequest}. */
public sealed interface Claim {

    /**
     * The record is the caller's: run.
     *
     * @param takenOver whether it was taken from an owner that died
     */
    record Acquired(LeaseToken token, boolean takenOver) implements Claim {}

    /** The call was made before, and this is how it ended. */
    record Completed(StoredResult result) implements Claim {}

    /** Another owner holds the record; the lease left is longer than zero. */
    record InProgress(Duration leaseLeft) implements Claim {

        private static final Duration SHORTEST = Duration.ofMillis(1);

        public InProgress {
            leaseLeft = leaseLeft.compareTo(SHORTEST) < 0 ? SHORTEST : leaseLeft;
        }
    }

    /** The key belongs to a call with other arguments. Looked at before everything else. */
    record KeyReused() implements Claim {}

    /** The owner died, and taking over was not asked for. */
    record Abandoned() implements Claim {}

    /** An operator said that the call was executed; its result is not known. */
    record Executed() implements Claim {}
}
