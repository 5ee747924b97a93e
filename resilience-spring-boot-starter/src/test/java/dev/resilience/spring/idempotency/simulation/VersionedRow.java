package dev.resilience.spring.idempotency.simulation;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A row with all its committed versions, of which a snapshot sees an old one, and the session that has it locked. */
final class VersionedRow {

    private final List<Version> versions = new ArrayList<>(List.of(new Version(0, null)));
    private @Nullable Session lock;

    private record Version(long commit, @Nullable StoredRecord content) {}

    @Nullable
    StoredRecord latest() {
        return versions.get(versions.size() - 1).content;
    }

    /** The content at the time of that commit; {@code null} if there was none. */
    @Nullable
    StoredRecord asOf(long snapshot) {
        for (int i = versions.size() - 1; i > 0; i--) {
            if (versions.get(i).commit <= snapshot) {
                return versions.get(i).content;
            }
        }
        return null;
    }

    boolean hasChangedSince(long snapshot) {
        return versions.get(versions.size() - 1).commit > snapshot;
    }

    void commit(long number, @Nullable StoredRecord content) {
        versions.add(new Version(number, content));
    }

    @Nullable
    Session lock() {
        return lock;
    }

    void lock(@Nullable Session by) {
        lock = by;
    }

    boolean isLockedAgainst(Session other) {
        return lock != null && lock != other;
    }
}
