package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.RecordKey;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sees every change of a record at the moment of its commit, knows nothing of how it came about, and notes what must never
 * happen: two fences that live at the same time, a fence that does not grow, a stored result that changes.
 */
final class RecordWatch {

    private final Map<RecordKey, Long> fences = new HashMap<>();
    private final Map<RecordKey, Integer> claims = new HashMap<>();
    private final List<String> violations = new ArrayList<>();

    void changes(RecordKey key, @Nullable StoredRecord before, Session.Write write, long clock) {
        StoredRecord after = write.content();
        if (before != null && before.isRunning() && before.fence() != write.fence() && before.validUntil() > clock) {
            violations.add("two live fences: " + write.fence() + " changes the record of " + before.fence()
                    + ", whose lease has " + (before.validUntil() - clock) / 1_000 + " ms left");
        }
        if (before != null && !before.isRunning() && before.validUntil() > clock) {
            violations.add("a stored result is changed by " + write.fence());
        }
        boolean isClaim = after != null && after.isRunning() && (before == null || before.fence() != after.fence());
        if (isClaim) {
            claims.merge(key, 1, Integer::sum);
            Long last = fences.put(key, after.fence());
            if (last != null && last >= after.fence()) {
                violations.add("a fence that does not grow: " + after.fence() + " after " + last);
            }
        }
    }

    /** How often a key was claimed. */
    int claims(RecordKey key) {
        return claims.getOrDefault(key, 0);
    }

    List<String> violations() {
        return violations;
    }
}
