package dev.resilience.simulation;

import dev.resilience.idempotency.Ownership;
import dev.resilience.idempotency.RecordLockedException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;

/** The planted defect of a store that renews by itself as long as its machine lives. */
final class StrayRenewals {

    private final Baton baton;
    private final Machine machine;
    private final SimulatedStore store;
    private final Set<String> begun = new HashSet<>();

    StrayRenewals(Baton baton, Machine machine, SimulatedStore store) {
        this.baton = baton;
        this.machine = machine;
        this.store = store;
    }

    void begin(Ownership ownership, Duration lease) {
        if (begun.add(ownership.owner())) {
            next(ownership, lease);
        }
    }

    private void next(Ownership ownership, Duration lease) {
        baton.startAfter(lease.dividedBy(3), "stray renewal", machine, () -> {
            boolean goesOn = true;
            try {
                goesOn = store.renew(ownership, lease);
            } catch (SqlFailure | RecordLockedException unavailable) {
                // then the next one
            }
            if (goesOn) {
                next(ownership, lease);
            }
        });
    }
}
