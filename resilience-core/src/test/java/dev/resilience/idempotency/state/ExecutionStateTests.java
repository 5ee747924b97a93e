package dev.resilience.idempotency.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.state.EndedAttempts.EndedAttempt;
import dev.resilience.idempotency.state.Transition.Work;
import dev.resilience.idempotency.store.ClaimStatus;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.StoreTransaction;
import dev.resilience.idempotency.store.StoreTransaction.End;
import dev.resilience.idempotency.store.StoredResult;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every event in every state. The table is in {@code execution-states.txt}: what stands there was thought through cell by
 * cell. Beside it stand the rules that no cell may break, whatever the table says.
 */
class ExecutionStateTests {

    private static final StoreTransaction SAME = new NamedTransaction("same");
    private static final StoreTransaction OTHER = new NamedTransaction("other");
    private static final StoredResult WRITTEN = result();
    private static final StoredResult ANSWER = result();

    private static final Pattern BAR = Pattern.compile(" \\| ");

    private static final Map<String, ExecutionState> STATES = states();
    private static final Map<String, Function<ExecutionState, Transition>> EVENTS = events();

    /** The states in which the call has ended. */
    private static final Set<String> OVER = Set.of(
            "InTransaction, over",
            "InTransaction, locked, over",
            "InTransaction with answer, over",
            "Pending, over",
            "PartlyRolledBack, over",
            "Releasing",
            "InDoubt, over",
            "InDoubt of a release",
            "Ended");

    private static StoredResult result() {
        return new StoredResult(StoredResult.Kind.VALUE, new byte[0]);
    }

    private static Map<String, ExecutionState> states() {
        Map<String, ExecutionState> states = new LinkedHashMap<>();
        states.put("Running", new RunningState());
        states.put("InTransaction", new InTransactionState(SAME, null, false, false));
        states.put("InTransaction, locked", new InTransactionState(SAME, null, true, false));
        states.put("InTransaction with answer", new InTransactionState(SAME, ANSWER, false, false));
        states.put("InTransaction, over", new InTransactionState(SAME, null, false, true));
        states.put("InTransaction, locked, over", new InTransactionState(SAME, null, true, true));
        states.put("InTransaction with answer, over", new InTransactionState(SAME, ANSWER, false, true));
        states.put("Pending", new PendingState(SAME, WRITTEN, false));
        states.put("Pending, over", new PendingState(SAME, WRITTEN, true));
        states.put("PartlyRolledBack", new PartlyRolledBackState(SAME, WRITTEN, false));
        states.put("PartlyRolledBack, over", new PartlyRolledBackState(SAME, WRITTEN, true));
        states.put("Releasing", new ReleasingState(SAME));
        states.put("InDoubt", new InDoubtState(WRITTEN, false));
        states.put("InDoubt, over", new InDoubtState(WRITTEN, true));
        states.put("InDoubt of a release", new InDoubtState(null, true));
        states.put("Stored", new StoredState(WRITTEN));
        states.put("Lost", new LostState());
        states.put("Ended", new EndedState());
        return states;
    }

    private static Map<String, Function<ExecutionState, Transition>> events() {
        Map<String, Function<ExecutionState, Transition>> events = new LinkedHashMap<>();
        events.put("attempt begins: without transaction", state -> state.attemptBegins(null, false));
        events.put("attempt begins: in same", state -> state.attemptBegins(SAME, false));
        events.put("attempt begins: in same, snapshot", state -> state.attemptBegins(SAME, true));
        events.put("attempt begins: in other", state -> state.attemptBegins(OTHER, false));
        events.put("attempt begins: in other, snapshot", state -> state.attemptBegins(OTHER, true));
        events.put("attempt returns: in same", state -> state.attemptReturns(SAME, WRITTEN));
        events.put("attempt returns: in other", state -> state.attemptReturns(OTHER, WRITTEN));
        events.put("attempt ends without result in same", state -> state.attemptEndsWithoutResult(SAME, null));
        events.put("attempt ends with answer in same", state -> state.attemptEndsWithoutResult(SAME, ANSWER));
        events.put("attempt ends without result in other", state -> state.attemptEndsWithoutResult(OTHER, null));
        events.put("write failed in same", state -> state.writeFailed(SAME));
        events.put("write failed in other", state -> state.writeFailed(OTHER));
        events.put("record is gone", ExecutionState::recordIsGone);
        events.put("commit begins of same", state -> state.commitBegins(SAME, null));
        events.put("commit begins of same, with answer", state -> state.commitBegins(SAME, ANSWER));
        events.put("commit begins of other", state -> state.commitBegins(OTHER, null));
        events.put("commit begins of other, with answer", state -> state.commitBegins(OTHER, ANSWER));
        for (End end : End.values()) {
            events.put("same ends: " + end, state -> state.transactionEnds(SAME, end));
        }
        for (End end : End.values()) {
            events.put("other ends: " + end, state -> state.transactionEnds(OTHER, end));
        }
        for (ClaimStatus status : ClaimStatus.values()) {
            events.put("checked: " + status, state -> state.checked(status));
        }
        for (ClaimStatus status : ClaimStatus.values()) {
            events.put("found out: " + status, state -> state.foundOut(status));
        }
        events.put("call: returns", state -> state.callEnds(CallAnswer.returned(null, () -> ANSWER)));
        events.put("call: returns nothing to keep", state -> state.callEnds(CallAnswer.returned(null, () -> null)));
        events.put("call: throws", state -> state.callEnds(CallAnswer.none()));
        events.put(
                "call: returns from same",
                state -> state.callEnds(CallAnswer.returned(endedIn(SAME, false), () -> ANSWER)));
        events.put(
                "call: returns from other",
                state -> state.callEnds(CallAnswer.returned(endedIn(OTHER, false), () -> ANSWER)));
        events.put(
                "call: returns what was undone",
                state -> state.callEnds(CallAnswer.returned(endedIn(SAME, true), () -> ANSWER)));
        events.put(
                "call: returns what was undone in other",
                state -> state.callEnds(CallAnswer.returned(endedIn(OTHER, true), () -> ANSWER)));
        events.put("call: throws an answer", state -> state.callEnds(CallAnswer.threw(null, () -> ANSWER)));
        return events;
    }

    private static EndedAttempt endedIn(StoreTransaction transaction, boolean undone) {
        EndedAttempts attempts = new EndedAttempts();
        EndedAttempt attempt = attempts.add("result", transaction, null);
        if (undone) {
            attempts.undo(transaction);
        }
        return attempt;
    }

    static Set<String> everyState() {
        return STATES.keySet();
    }

    @ParameterizedTest
    @MethodSource("everyState")
    void everyEventHasTheEffectThatTheTableSays(String state) throws IOException {
        assertThat(effects(state)).isEqualTo(table().get(state));
    }

    @Test
    void theTableHasEveryStateOnce() throws IOException {
        assertThat(table()).containsOnlyKeys(STATES.keySet());
    }

    @ParameterizedTest
    @MethodSource("everyState")
    void anEndedCallNeverBeginsAgain(String name) {
        if (OVER.contains(name)) {
            everyTransition(name, how -> {
                assertThat(how.work()).isNotIn(Work.RUN, Work.LOCK_AND_RUN);
                assertThat(how.next()).isNotInstanceOfAny(RunningState.class, StoredState.class);
                assertThat(how.next().toString()).containsAnyOf("callIsOver=true", "Releasing", "Lost", "Ended");
            });
        }
    }

    @ParameterizedTest
    @MethodSource("everyState")
    void aResultIsOnlyWrittenByACallThatThenAwaitsTheTransaction(String name) {
        everyTransition(name, how -> {
            boolean writes = EnumSet.of(Work.WRITE, Work.LISTEN_AND_WRITE).contains(how.work());
            if (writes) {
                assertThat(how.next()).isInstanceOf(PendingState.class);
                assertThat(how.result()).isSameAs(((PendingState) how.next()).written());
            }
        });
    }

    @ParameterizedTest
    @MethodSource("everyState")
    void nothingIsWrittenOutsideOfATransactionThatHasTheRecord(String name) {
        everyTransition(name, how -> {
            if (EnumSet.of(Work.COMPLETE, Work.RELEASE).contains(how.work())) {
                assertThat(how.next()).isInstanceOf(EndedState.class);
            }
        });
    }

    @Test
    void noTransactionIsCommittedThatTheCallDoesNotCountOn() {
        for (String name : List.of("Lost", "Ended", "Stored", "InDoubt", "InDoubt, over", "InDoubt of a release")) {
            ExecutionState state = STATES.get(name);
            assertThat(state.commitBegins(SAME, ANSWER).work()).isIn(Work.REFUSE_LOST, Work.REFUSE_OVERTAKEN);
            assertThat(state.attemptReturns(SAME, WRITTEN).work()).isIn(Work.REFUSE_LOST, Work.REFUSE_OVERTAKEN);
        }
        for (String name : List.of("Pending", "Pending, over", "InTransaction, locked", "Releasing")) {
            assertThat(STATES.get(name).commitBegins(OTHER, ANSWER).work()).isEqualTo(Work.REFUSE_OVERTAKEN);
            assertThat(STATES.get(name).attemptReturns(OTHER, WRITTEN).work()).isEqualTo(Work.REFUSE_OVERTAKEN);
        }
    }

    @Test
    void noLeaseIsRenewedWhileATransactionHasTheRecordForCertain() {
        assertThat(STATES.entrySet().stream()
                        .filter(state -> state.getValue().renewsLease())
                        .map(Map.Entry::getKey))
                .containsExactly(
                        "Running",
                        "InTransaction",
                        "InTransaction with answer",
                        "InTransaction, over",
                        "InTransaction with answer, over",
                        "PartlyRolledBack",
                        "PartlyRolledBack, over",
                        "InDoubt");
    }

    private static void everyTransition(String state, Consumer<Transition> check) {
        EVENTS.forEach((event, happens) -> check.accept(happens.apply(STATES.get(state))));
    }

    private static Map<String, String> effects(String state) {
        Map<String, String> effects = new TreeMap<>();
        EVENTS.forEach((event, happens) -> effects.put(event, text(state, happens.apply(STATES.get(state)))));
        return effects;
    }

    private static String text(String state, Transition how) {
        String next = nameOf(how.next());
        String result = how.result() == null ? "" : WRITTEN.equals(how.result()) ? " the result" : " the answer";
        return (next.equals(state) ? "stays" : next) + (how.work() == Work.NOTHING ? "" : ": " + how.work()) + result;
    }

    private static String nameOf(ExecutionState state) {
        for (Map.Entry<String, ExecutionState> known : STATES.entrySet()) {
            if (known.getValue().equals(state)) {
                return known.getKey();
            }
        }
        return state.toString()
                .replace(SAME.toString(), "same")
                .replace(OTHER.toString(), "other")
                .replace(WRITTEN.toString(), "the result")
                .replace(ANSWER.toString(), "the answer");
    }

    /** State, then a line for each effect that an event has on it: {@code effect <- event | event: any}. */
    private static Map<String, Map<String, String>> table() throws IOException {
        Map<String, Map<String, String>> table = new LinkedHashMap<>();
        Map<String, String> current = new TreeMap<>();
        for (String line : lines()) {
            if (line.startsWith("# ")) {
                current = new TreeMap<>();
                table.put(line.substring(2), current);
            } else if (line.contains(" <- ")) {
                int arrow = line.indexOf(" <- ");
                for (String event : meantBy(line.substring(arrow + 4))) {
                    assertThat(current.put(event, line.substring(0, arrow)))
                            .as(event)
                            .isNull();
                }
            }
        }
        return table;
    }

    private static List<String> meantBy(String events) {
        return BAR.splitAsStream(events)
                .flatMap(event -> event.endsWith(": any")
                        ? EVENTS.keySet().stream().filter(one -> one.startsWith(event.substring(0, event.length() - 3)))
                        : Stream.of(event))
                .toList();
    }

    private static List<String> lines() throws IOException {
        try (InputStream file = ExecutionStateTests.class.getResourceAsStream("execution-states.txt")) {
            return new String(file.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .toList();
        }
    }

    private record NamedTransaction(String name) implements StoreTransaction {

        @Override
        public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
            throw new AssertionError();
        }

        @Override
        public boolean renew(LeaseToken token, Duration lease) {
            throw new AssertionError();
        }

        @Override
        public boolean release(LeaseToken token) {
            throw new AssertionError();
        }

        @Override
        public ClaimStatus statusOf(LeaseToken token) {
            throw new AssertionError();
        }

        @Override
        public void beforeCommit(Runnable action, Consumer<End> end) {
            throw new AssertionError();
        }

        @Override
        public boolean isSnapshot() {
            throw new AssertionError();
        }

        @Override
        public void rollbackOnly(@Nullable RuntimeException why) {
            throw new AssertionError();
        }
    }
}
