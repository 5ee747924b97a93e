package dev.resilience.idempotency;

import org.jspecify.annotations.Nullable;

/**
 * What has become of the result of a call that holds its key, and whether the call goes on. Safe for use by many threads:
 * a transaction may end on one while the call ends on another, and each step tells what the other one has done.
 */
final class BodyState {

    /** Whether a result is written. */
    enum Written {
        NOT,
        /** In a transaction that goes on. */
        PENDING,
        /** In a transaction that goes on, a part of which was rolled back. */
        PERHAPS,
        /** In a transaction that has ended, and nobody knows how: it is found out when its connection is given back. */
        UNDECIDED,
        FOR_GOOD,
        /** By another call, which has taken the key over: there is nothing left to write, nor to release. */
        BY_ANOTHER
    }

    private Written written = Written.NOT;
    private @Nullable StoredResult result;
    private @Nullable StoreTransaction transaction;
    private @Nullable UnwrittenBody unwritten;
    private boolean callEnded;

    /** A result has been written in a transaction. */
    synchronized void writtenIn(StoreTransaction where, StoredResult stored) {
        written = Written.PENDING;
        transaction = where;
        result = stored;
    }

    /** Returns whether the call has ended, so that nobody but the caller of this will go on. */
    synchronized boolean becomes(Written next) {
        written = next;
        if (next == Written.NOT) {
            result = null;
        }
        return callEnded;
    }

    synchronized Written written() {
        return written;
    }

    synchronized boolean is(Written state) {
        return written == state;
    }

    /** Whether the result was written in this transaction, which goes on. */
    synchronized boolean isPendingIn(@Nullable StoreTransaction other) {
        return written == Written.PENDING && transaction != null && transaction.equals(other);
    }

    synchronized @Nullable StoredResult result() {
        return result;
    }

    /** The body that has left this transaction without a result; {@code null} if none has. */
    synchronized @Nullable UnwrittenBody unwrittenIn(StoreTransaction other) {
        return unwritten != null && unwritten.isIn(other) ? unwritten : null;
    }

    synchronized void leave(UnwrittenBody body) {
        unwritten = body;
    }

    /** The transaction of the body has ended. Returns whether the call has. */
    synchronized boolean forget(UnwrittenBody body) {
        if (unwritten == body) {
            unwritten = null;
        }
        return callEnded;
    }

    /** Every transaction that ends from now on finds that the call has ended. */
    synchronized AtEnd callEnds() {
        callEnded = true;
        return new AtEnd(written, unwritten);
    }

    synchronized boolean hasCallEnded() {
        return callEnded;
    }

    /** How things are when the call ends. */
    record AtEnd(Written written, @Nullable UnwrittenBody unwritten) {}
}
