package dev.resilience.spring.idempotency.simulation;

import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordLockedException;
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

    void begin(LeaseToken token, Duration lease) {
        if (begun.add(token.owner())) {
            next(token, lease);
        }
    }

    private void next(LeaseToken token, Duration lease) {
        baton.startAfter(lease.dividedBy(3), "stray renewal", machine, () -> {
            boolean goesOn = true;
            try {
                goesOn = store.renew(token, lease);
            } catch (SqlFailure | RecordLockedException unavailable) {
                // then the next one
            }
            if (goesOn) {
                next(token, lease);
            }
        });
    }
}
