package dev.resilience.spring.idempotency.attempt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.ResilienceException;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.spring.idempotency.attempt.RecordState.Task;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Rules that no sequence of events may break, whatever the attempts of a call and their transactions do. */
class RecordStateTests {

    private static final StoredResult RESULT = new StoredResult(StoredResult.Kind.VALUE, new byte[0]);

    /** What decides about the record of a call that is over. */
    private static final Set<Task> LAST = EnumSet.of(
            Task.WRITE, Task.RELEASE, Task.COUNT_EXECUTED, Task.COUNT_RELEASED, Task.COUNT_LOST, Task.COUNT_UNKNOWN);

    private final RecordState state =
            new RecordState(new AttemptErrors("orders", "OrderService.place()", IdempotencyPolicy.defaults()));
    private final List<ScriptedTransaction> open = new ArrayList<>();
    private final List<Task> decisions = new ArrayList<>();
    private @Nullable ScriptedTransaction writing;
    private boolean committed;
    private boolean over;

    static LongStream seeds() {
        return LongStream.rangeClosed(1, 500);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void oneTransactionDecidesAndTheCallIsDecidedOnce(long seed) {
        Random random = new Random(seed);
        for (int i = 0; i < 40; i++) {
            happens(random);
            rulesHold();
        }
        callEnds(random);
        while (!open.isEmpty()) {
            transactionEnds(random, open.get(0));
            rulesHold();
        }
        assertThat(decisions).hasSize(1);
    }

    private void happens(Random random) {
        ScriptedTransaction in = open.isEmpty() || random.nextInt(3) == 0
                ? new ScriptedTransaction()
                : open.get(random.nextInt(open.size()));
        switch (random.nextInt(random.nextInt(30) == 0 ? 6 : 5)) {
            case 0 -> begins(in, random.nextBoolean());
            case 1 -> returns(in);
            case 2 -> {
                opens(in);
                state.attemptEnds("failure", in, random.nextBoolean() ? RESULT : null);
            }
            case 3 -> {
                if (open.contains(in)) {
                    state.transactionEnds(in, End.PARTLY_ROLLED_BACK);
                    writing = in.equals(writing) ? null : writing;
                }
            }
            case 4 -> {
                if (open.contains(in)) {
                    transactionEnds(random, in);
                }
            }
            default -> callEnds(random);
        }
    }

    private void opens(ScriptedTransaction in) {
        if (state.opens(in)) {
            open.add(in);
        }
    }

    private void begins(ScriptedTransaction in, boolean isSnapshot) {
        try {
            Task task = state.attemptBegins(in, isSnapshot);
            assertThat(over).as("an attempt after the call").isFalse();
            if (task == Task.LOCK) {
                opens(in);
            } else if (task == Task.CHECK) {
                decided(state.checked(state.changes(), committed ? ClaimStatus.COMPLETED : ClaimStatus.IN_PROGRESS));
            }
        } catch (ResilienceException refused) {
            assertThat(refused).hasMessageContaining("policy 'orders'");
        }
    }

    private void returns(ScriptedTransaction in) {
        opens(in);
        try {
            state.attemptReturns(in, RESULT);
            writes(in);
        } catch (ResilienceException refused) {
            assertThat(refused).hasMessageContaining("rolled back");
        }
    }

    private void writes(ScriptedTransaction in) {
        assertThat(committed).as("two effects").isFalse();
        assertThat(writing).as("two that write").isIn(null, in);
        writing = in;
    }

    @SuppressWarnings("EnumOrdinal") // any end will do
    private void transactionEnds(Random random, ScriptedTransaction of) {
        End end = End.values()[random.nextInt(4)];
        if (end == End.PARTLY_ROLLED_BACK) {
            end = End.ROLLED_BACK;
        }
        if (end == End.COMMITTED && !commitBegins(of)) {
            end = End.ROLLED_BACK;
        }
        boolean isCommitted = end == End.COMMITTED || (end == End.UNKNOWN && random.nextBoolean());
        if (of.equals(writing)) {
            committed |= isCommitted;
            writing = null;
        }
        open.remove(of);
        decided(state.transactionEnds(of, end));
    }

    private boolean commitBegins(ScriptedTransaction of) {
        try {
            Task task = state.commitBegins(of);
            if (task == Task.CHECK) {
                decided(state.checked(state.changes(), ClaimStatus.IN_PROGRESS));
                task = state.commitBegins(of);
            }
            if (task == Task.WRITE || task == Task.RELEASE) {
                writes(of);
            }
            return true;
        } catch (ResilienceException refused) {
            return false;
        }
    }

    private void callEnds(Random random) {
        if (!over) {
            over = true;
            Task task = state.callEnds();
            decided(
                    task == null
                            ? state.callEnds(state.answeredBy("failure"), random.nextBoolean() ? RESULT : null)
                            : task);
        }
    }

    /** Counted at most once for a call that goes on, and once for one that is over. */
    private void decided(Task task) {
        if (task == Task.CHECK) {
            decided(state.foundOut(committed ? ClaimStatus.COMPLETED : ClaimStatus.IN_PROGRESS));
        } else if (LAST.contains(task)) {
            decisions.add(task);
        }
    }

    private void rulesHold() {
        assertThat(decisions).hasSizeLessThan(2);
        assertThat(writing != null && state.renewsLease())
                .as("a lease is renewed of a record that is locked")
                .isFalse();
        if (over) {
            assertThatThrownBy(() -> state.attemptBegins(null, false)).isInstanceOf(ResilienceException.class);
        }
    }
}
