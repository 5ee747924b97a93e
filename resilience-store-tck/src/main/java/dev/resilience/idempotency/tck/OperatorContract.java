package dev.resilience.idempotency.tck;

import static dev.resilience.idempotency.tck.StoreClient.LONG;
import static dev.resilience.idempotency.tck.StoreClient.OPERATION;
import static dev.resilience.idempotency.tck.StoreClient.result;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.RecordSummary;
import dev.resilience.idempotency.store.RecordSummary.State;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The part of {@link IdempotencyStoreContract} that operators see: looking up, resolving and deleting records. */
abstract class OperatorContract {

    /** The store of the test that runs. */
    protected IdempotencyStore store;

    StoreClient client;

    /** A store without records; asked for once a test. */
    protected abstract IdempotencyStore emptyStore() throws Exception;

    /** Lets the store's clock move on by at least this much. */
    protected abstract void letPass(Duration duration) throws Exception;

    /**
     * A lease, or a time to live, that tests let run out; 10 seconds unless a subclass says otherwise, which suits a
     * clock that a test moves. On a real clock it is as short as the store can tell times apart, and long enough for a
     * few calls.
     */
    protected Duration shortWhile() {
        return Duration.ofSeconds(10);
    }

    @BeforeEach
    void setUp() throws Exception {
        store = emptyStore();
        client = new StoreClient(store);
    }

    static RecordSelection selection(String key) {
        return new RecordSelection(key, Set.of(OPERATION), null);
    }

    private @Nullable State state(String key) {
        List<RecordSummary> found = store.find(selection(key));
        assertThat(found).hasSizeLessThan(2);
        return found.isEmpty() ? null : found.get(0).state();
    }

    /** One record in each state, under its name. */
    private void oneOfEach() throws Exception {
        client.acquire("abandoned", shortWhile());
        client.acquire("executed", shortWhile());
        letPass(shortWhile());
        client.acquire("in progress", LONG);
        store.complete(client.acquire("completed", LONG), result("ok"), LONG);
        assertThat(store.resolve(selection("executed"), true)).isEqualTo(1);
    }

    @Test
    void aRecordIsFoundByItsKeyWithItsState() throws Exception {
        oneOfEach();

        assertThat(state("in progress")).isEqualTo(State.IN_PROGRESS);
        assertThat(state("abandoned")).isEqualTo(State.ABANDONED);
        assertThat(state("completed")).isEqualTo(State.COMPLETED);
        assertThat(state("executed")).isEqualTo(State.EXECUTED);
        assertThat(state("never heard of")).isNull();
    }

    @Test
    void aRecordTellsHowLongItLastsAndWhoseItIs() throws Exception {
        oneOfEach();

        for (String key : List.of("in progress", "completed")) {
            RecordSummary summary = store.find(selection(key)).get(0);
            assertThat(summary.operation()).isEqualTo(OPERATION);
            assertThat(summary.callerHash()).isEqualTo(client.key(key).callerHash());
            assertThat(summary.left()).isBetween(LONG.minusMinutes(1), LONG.plusSeconds(1));
        }
        assertThat(store.find(selection("abandoned")).get(0).left()).isNull();
        assertThat(store.find(selection("executed")).get(0).left()).isNull();
    }

    @Test
    void aResultThatIsForgottenIsNotFound() throws Exception {
        store.complete(client.acquire("key", LONG), result("ok"), shortWhile());

        letPass(shortWhile());

        assertThat(state("key")).isNull();
    }

    @Test
    void methodsAndCallersNarrowTheSelection() {
        for (String operation : List.of("a", "b")) {
            for (String caller : List.of("", "alice", "bob")) {
                client.complete(RecordKey.of(operation, caller, "key"));
                client.complete(RecordKey.of(operation, caller, "another key"));
            }
        }

        assertThat(store.find(new RecordSelection("key", Set.of("a", "b", "c"), null)))
                .hasSize(6);
        assertThat(store.find(new RecordSelection("key", Set.of("a"), null))).hasSize(3);
        assertThat(store.find(new RecordSelection("key", Set.of("a", "b"), "alice")))
                .hasSize(2);
        String hash = RecordKey.of("a", "alice", "key").callerHash();
        assertThat(store.find(new RecordSelection("key", Set.of("a", "b"), hash)))
                .hasSize(2);
        assertThat(store.find(new RecordSelection("key", Set.of("b"), ""))).hasSize(1);
        assertThat(store.find(new RecordSelection("key", Set.of("c"), null))).isEmpty();
        assertThat(store.find(new RecordSelection("key", Set.of(), null))).isEmpty();
        assertThat(store.find(new RecordSelection("Key", Set.of("a"), null))).isEmpty();

        assertThat(store.delete(new RecordSelection("key", Set.of("a"), "alice")))
                .isEqualTo(1);
        assertThat(store.delete(new RecordSelection("key", Set.of("a", "b"), null)))
                .isEqualTo(5);
        assertThat(store.find(new RecordSelection("another key", Set.of("a", "b"), null)))
                .hasSize(6);
    }

    @Test
    void whatWasNotExecutedIsFree() throws Exception {
        oneOfEach();

        assertThat(store.resolve(selection("abandoned"), false)).isEqualTo(1);

        client.acquire("abandoned", LONG);
    }

    @Test
    void whatWasExecutedIsRefusedForEver() throws Exception {
        oneOfEach();

        letPass(shortWhile());

        assertThat(client.claim("executed")).isEqualTo(new Claim.Executed());
        assertThat(store.claim(client.request("executed", LONG, true))).isEqualTo(new Claim.Executed());
        assertThat(store.claim(client.withOtherArguments("executed", true))).isEqualTo(new Claim.KeyReused());
    }

    @Test
    void onlyAbandonedRecordsAreResolved() throws Exception {
        oneOfEach();

        for (boolean executed : new boolean[] {true, false}) {
            for (String key : List.of("in progress", "completed", "executed", "never heard of")) {
                assertThat(store.resolve(selection(key), executed)).as(key).isZero();
            }
        }

        assertThat(client.claim("in progress")).isInstanceOf(Claim.InProgress.class);
        client.assertCompleted("completed", result("ok"));
        assertThat(client.claim("executed")).isEqualTo(new Claim.Executed());
    }

    @Test
    void whatIsDeletedIsFree() throws Exception {
        oneOfEach();

        for (String key : List.of("abandoned", "completed", "executed")) {
            assertThat(store.delete(selection(key))).as(key).isEqualTo(1);
            assertThat(store.delete(selection(key))).as(key).isZero();
            client.acquire(key, LONG);
        }
    }

    @Test
    void whatIsInProgressIsNotDeleted() {
        LeaseToken owner = client.acquire("key", LONG);

        assertThat(store.delete(selection("key"))).isZero();

        assertThat(store.complete(owner, result("ok"), LONG)).isTrue();
    }

    @Test
    void anOwnerWhoseRecordWasResolvedOrDeletedHasNoRightsAnyMore() throws Exception {
        LeaseToken executed = client.acquire("executed", shortWhile());
        LeaseToken notExecuted = client.acquire("not executed", shortWhile());
        LeaseToken deleted = client.acquire("deleted", shortWhile());
        letPass(shortWhile());
        store.resolve(selection("executed"), true);
        store.resolve(selection("not executed"), false);
        store.delete(selection("deleted"));

        for (LeaseToken former : List.of(executed, notExecuted, deleted)) {
            assertHasNoRights(former);
        }
        assertThat(client.claim("executed")).isEqualTo(new Claim.Executed());
    }

    void assertHasNoRights(LeaseToken former) {
        assertThat(store.renew(former, LONG)).isFalse();
        assertThat(store.complete(former, result("former"), LONG)).isFalse();
        assertThat(store.release(former)).isFalse();
    }
}
