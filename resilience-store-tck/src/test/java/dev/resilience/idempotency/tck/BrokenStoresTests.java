package dev.resilience.idempotency.tck;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.LeaseToken;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.RecordSelection;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;
import org.junit.platform.testkit.engine.Events;

/** The contract is worth something because a store with a fault fails it. */
class BrokenStoresTests {

    private static final AtomicReference<UnaryOperator<IdempotencyStore>> FAULT = new AtomicReference<>();

    @Test
    void aStoreWithoutAFaultPasses() {
        Events tests = testsOf(store -> store);

        assertThat(failed(tests)).isEmpty();
        assertThat(tests.succeeded().count()).isGreaterThan(25);
    }

    @Test
    void aStoreThatTakesOverUnaskedFails() {
        assertThat(failed(testsOf(TakingOver::new))).contains("anAbandonedKeyIsTakenOverOnlyIfAskedFor");
    }

    @Test
    void aStoreThatDoesNotCompareArgumentsFails() {
        assertThat(failed(testsOf(Careless::new))).contains("otherArgumentsAreSeenBeforeAnythingElse");
    }

    @Test
    void aStoreThatMixesUpKeysOfDifferentCaseFails() {
        assertThat(failed(testsOf(CaseInsensitive::new))).contains("keysThatLookAlikeAreDifferentKeys");
    }

    @Test
    void aStoreWhoseFencesStandStillFails() {
        assertThat(failed(testsOf(Unfenced::new))).contains("fencesGrowWithEveryClaim");
    }

    @Test
    void aStoreThatPretendsToHaveRenewedFails() {
        assertThat(failed(testsOf(Pretending::new))).contains("aRenewedLeaseLastsFromThenOn");
    }

    @Test
    void aStoreThatLetsReplacedOwnersCompleteFails() {
        assertThat(failed(testsOf(Lenient::new))).contains("anOwnerThatWasReplacedHasNoRightsAnyMore");
    }

    @Test
    void aStoreThatCutsResultsOffFails() {
        assertThat(failed(testsOf(Cutting::new))).contains("aResultComesBackAsItWas");
    }

    @Test
    void aStoreThatForgetsWhatAnOperatorSaidFails() {
        assertThat(failed(testsOf(Forgetful::new))).contains("whatWasExecutedIsRefusedForEver");
    }

    private static Events testsOf(UnaryOperator<IdempotencyStore> fault) {
        FAULT.set(fault);
        return EngineTestKit.engine("junit-jupiter")
                .selectors(selectClass(FaultyStore.class))
                .execute()
                .testEvents();
    }

    private static List<String> failed(Events tests) {
        return tests.failed().stream()
                .map(Event::getTestDescriptor)
                .map(test -> test.getDisplayName().replace("()", ""))
                .toList();
    }

    /** Run by the tests above alone: Maven runs no nested classes. */
    static final class FaultyStore extends IdempotencyStoreContract {

        private final ManualTimeSource time = new ManualTimeSource();

        @Override
        protected IdempotencyStore emptyStore() {
            return FAULT.get().apply(new MemoryIdempotencyStore(time));
        }

        @Override
        protected void letPass(Duration duration) {
            time.advance(duration);
        }

        @Override
        protected int races() {
            return 20;
        }
    }

    private static final class TakingOver extends ForwardingStore {

        TakingOver(IdempotencyStore store) {
            super(store);
        }

        @Override
        public Claim claim(ClaimRequest request) {
            return super.claim(new ClaimRequest(
                    request.key(), request.owner(), request.fingerprint(), request.lease(), request.ttl(), true));
        }
    }

    private static final class Careless extends ForwardingStore {

        Careless(IdempotencyStore store) {
            super(store);
        }

        @Override
        public Claim claim(ClaimRequest request) {
            return super.claim(new ClaimRequest(
                    request.key(), request.owner(), "", request.lease(), request.ttl(), request.takeOver()));
        }
    }

    /** As a database whose collation takes 'a' for 'A'. */
    private static final class CaseInsensitive extends ForwardingStore {

        private static final List<RecordKey> ALIKE = List.of(key("key"), key("Key"));

        CaseInsensitive(IdempotencyStore store) {
            super(store);
        }

        private static RecordKey key(String key) {
            return RecordKey.of(StoreClient.OPERATION, "caller", key);
        }

        @Override
        public Claim claim(ClaimRequest request) {
            RecordKey key = ALIKE.contains(request.key()) ? ALIKE.get(0) : request.key();
            return super.claim(new ClaimRequest(
                    key, request.owner(), request.fingerprint(), request.lease(), request.ttl(), request.takeOver()));
        }

        @Override
        public int delete(RecordSelection selection) {
            String key = selection.key().toLowerCase(Locale.ROOT);
            return super.delete(new RecordSelection(key, selection.operations(), selection.caller()));
        }
    }

    private static final class Unfenced extends ForwardingStore {

        Unfenced(IdempotencyStore store) {
            super(store);
        }

        @Override
        public Claim claim(ClaimRequest request) {
            Claim claim = super.claim(request);
            return claim instanceof Claim.Acquired acquired
                    ? new Claim.Acquired(new LeaseToken(request.key(), request.owner(), 1), acquired.takenOver())
                    : claim;
        }
    }

    private static final class Pretending extends ForwardingStore {

        Pretending(IdempotencyStore store) {
            super(store);
        }

        @Override
        public boolean renew(LeaseToken token, Duration lease) {
            return true;
        }
    }

    private static final class Lenient extends ForwardingStore {

        Lenient(IdempotencyStore store) {
            super(store);
        }

        @Override
        public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
            super.complete(token, result, ttl);
            return true;
        }
    }

    private static final class Cutting extends ForwardingStore {

        private static final int LONGEST = 65_535;

        Cutting(IdempotencyStore store) {
            super(store);
        }

        @Override
        public boolean complete(LeaseToken token, StoredResult result, Duration ttl) {
            byte[] content = Arrays.copyOf(result.content(), Math.min(LONGEST, result.content().length));
            return super.complete(token, new StoredResult(result.kind(), content), ttl);
        }
    }

    private static final class Forgetful extends ForwardingStore {

        Forgetful(IdempotencyStore store) {
            super(store);
        }

        @Override
        public int resolve(RecordSelection selection, boolean executed) {
            return super.resolve(selection, false);
        }
    }
}
