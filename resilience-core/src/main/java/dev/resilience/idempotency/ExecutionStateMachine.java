package dev.resilience.idempotency;

import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.idempotency.state.ExecutionState;
import dev.resilience.idempotency.state.LostState;
import dev.resilience.idempotency.state.RunningState;
import dev.resilience.idempotency.state.StoredState;
import dev.resilience.idempotency.state.Transition;
import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.RecordLockedException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

/**
 * Where an idempotent call that holds its key has got to. Each event makes one transition, by a compare-and-set on the
 * state: of several threads that bring events, each does the work of its own transition and of no other. Keeps the lease
 * alive as long as the state wants that. Safe for use by many threads.
 */
final class ExecutionStateMachine {

    private final ClaimedRecord record;
    private final IdempotencyLog log;
    private final LeaseKeeper lease;
    private final AtomicReference<ExecutionState> state = new AtomicReference<>(new RunningState());

    ExecutionStateMachine(Idempotency idempotency, ClaimedRecord record) {
        this.record = record;
        this.log = idempotency.log();
        this.lease = new LeaseKeeper(idempotency.time(), record.policy(), this::renew);
        lease.begin();
    }

    LeaseKeeper lease() {
        return lease;
    }

    Transition move(Function<ExecutionState, Transition> event) {
        while (true) {
            ExecutionState before = state();
            Transition how = event.apply(before);
            ExecutionState after = how.next();
            if (after == before || state.compareAndSet(before, after)) {
                entered(before, after);
                return how;
            }
        }
    }

    /** At each beat of the lease. */
    private boolean renew(Duration forLease) {
        ExecutionState now = state();
        if (!now.renewsLease()) {
            return false;
        }
        try {
            if (!record.renew(forLease)) {
                refused(now);
            }
        } catch (RecordLockedException locked) {
            return true; // no other call can take it over meanwhile
        } catch (RuntimeException unavailable) {
            log.renewalFailed(lease.interval(), unavailable);
        }
        return true;
    }

    /** The renewal of a lease that the state wanted. */
    private void refused(ExecutionState then) {
        Transition how = then.recordIsGone();
        if (how.work() == Work.CHECK) {
            ClaimStatus status = record.status(null);
            how = then.checked(status);
        }
        ExecutionState next = how.next();
        if (next != then && state.compareAndSet(then, next)) {
            if (next instanceof LostState) {
                log.leaseLost();
            }
            entered(then, next);
        }
    }

    private void entered(ExecutionState before, ExecutionState after) {
        if (after.isOver()) {
            lease.end();
        } else if (after.renewsLease() && !before.renewsLease()) {
            lease.catchUp();
        }
        if (after instanceof LostState) {
            record.count(IdempotencyOutcome.LEASE_LOST);
        } else if (after instanceof StoredState) {
            record.count(record.executed());
        }
    }

    private ExecutionState state() {
        return Objects.requireNonNull(state.get());
    }
}
