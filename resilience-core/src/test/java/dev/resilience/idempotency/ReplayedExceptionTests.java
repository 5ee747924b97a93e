package dev.resilience.idempotency;

import static dev.resilience.event.IdempotencyOutcome.EXECUTED;
import static dev.resilience.event.IdempotencyOutcome.RELEASED;
import static dev.resilience.event.IdempotencyOutcome.REPLAYED;
import static dev.resilience.event.IdempotencyOutcome.STORE_FAILURE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.event.CapturedLog;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.store.Claim;
import dev.resilience.idempotency.store.ClaimRequest;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.idempotency.store.StoredResult;
import dev.resilience.policy.CallMode;
import dev.resilience.policy.HiddenFailures;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** With {@code replay-exceptions}. */
@ParameterizedClass
@EnumSource(CallMode.class)
class ReplayedExceptionTests {

    private final CallMode mode;

    ReplayedExceptionTests(CallMode mode) {
        this.mode = mode;
    }

    private TestIdempotency replaying(Class<? extends Throwable> listed) {
        return replaying(List.of(listed));
    }

    private TestIdempotency replaying(List<Class<? extends Throwable>> listed) {
        return new TestIdempotency(
                mode,
                IdempotencyPolicy.builder()
                        .fingerprint(false)
                        .replayExceptions(listed)
                        .build());
    }

    private static Throwable failing(TestIdempotency calls, Exception failure) {
        return catchThrowable(() -> calls.call("key", "payload", () -> {
            throw failure;
        }));
    }

    private static void assertIsReplayed(TestIdempotency calls, Exception failure) {
        assertThat(failing(calls, failure)).isSameAs(failure);

        Throwable replayed = catchThrowable(calls.calling());

        assertThat(replayed).isNotSameAs(failure).hasSameClassAs(failure).hasMessage(failure.getMessage());
        calls.assertExecutions(1);
        calls.assertCounted(EXECUTED, REPLAYED);
    }

    @Nested
    class AListedException {

        @Test
        void isReplayedWithItsClassAndMessage() {
            assertIsReplayed(replaying(Declined.class), new Declined("no funds"));
        }

        @Test
        void isReplayedWhateverItsMessage() {
            for (String message : new String[] {null, "", " ", "two\nlines", "\n", "Überziehung \uD83D\uDCB8"}) {
                assertIsReplayed(replaying(Declined.class), new Declined(message));
            }
        }

        @Test
        void isReplayedIfItIsASubclassOfOneListed() {
            assertIsReplayed(replaying(Declined.class), new DeclinedForGood("no account"));
        }

        @Test
        void isReplayedAsItsClosestSuperclassIfItCannotBeRebuiltItself() {
            TestIdempotency calls = replaying(Declined.class);
            DeclinedWithoutConstructor failure = new DeclinedWithoutConstructor();
            assertThat(failing(calls, failure)).isSameAs(failure);

            assertThatThrownBy(calls.calling())
                    .isExactlyInstanceOf(Declined.class)
                    .hasMessage("no constructor");

            calls.assertExecutions(1);
            calls.assertCounted(EXECUTED, REPLAYED);
        }

        @Test
        void givesItsConstructorTheWholeMessage() {
            TestIdempotency calls = replaying(NoSuchOrder.class);
            failing(calls, new NoSuchOrder("4711"));

            assertThatThrownBy(calls.calling()).hasMessage("There is no order There is no order 4711..");
        }

        @Test
        void isReplayedAsItsClosestSuperclassIfItsConstructorRefusesTheMessage() {
            TestIdempotency calls = replaying(Declined.class);
            failing(calls, new DeclinedById("no ", "funds"));

            assertThatThrownBy(calls.calling())
                    .isExactlyInstanceOf(Declined.class)
                    .hasMessage("no funds");
        }

        @Test
        void freesTheKeyWithAWarningIfItsConstructorRefusesTheMessage() throws Throwable {
            try (CapturedLog log = CapturedLog.of(Idempotency.class)) {
                TestIdempotency calls = replaying(DeclinedById.class);
                failing(calls, new DeclinedById("no ", "funds"));
                failing(calls, new DeclinedById("no ", null));

                assertThat(calls.call("third")).isEqualTo("third");
                calls.assertCounted(RELEASED, RELEASED, EXECUTED);
                assertThat(log.single("idempotency_exception_not_replayed").getFormattedMessage())
                        .contains(DeclinedById.class.getName(), "is not replayed", "takes the message as it is");
                assertThat(CapturedLog.pairsOf(log.single("idempotency_exception_not_replayed")))
                        .containsEntry("event", "idempotency_exception_not_replayed")
                        .containsEntry("policy", "orders")
                        .containsEntry("errorType", DeclinedById.class.getName());
            }
        }

        @Test
        void mayBeChecked() {
            assertIsReplayed(replaying(Checked.class), new Checked("no funds"));
        }

        @Test
        void mayBeOneOfTheJdk() {
            assertIsReplayed(replaying(IllegalStateException.class), new IllegalStateException("no funds"));
        }

        @Test
        void mayBeASubclassOfOneOfTheJdk() {
            assertIsReplayed(replaying(RuntimeException.class), new Declined("no funds"));
        }

        @Test
        void mayBeASubclassOfTheSecondOneListed() {
            assertIsReplayed(
                    replaying(List.of(IllegalStateException.class, Declined.class)), new DeclinedForGood("no account"));
        }

        @Test
        void mayBeOneThatOnlyItsPackageCanName() {
            assertIsReplayed(replaying(HiddenFailures.type()), (Exception) HiddenFailures.declined("no funds"));
        }

        @Test
        void isReplayedUntilTheTtlIsOver() throws Throwable {
            TestIdempotency calls = replaying(Declined.class);
            failing(calls, new Declined("no funds"));
            calls.time.advance(Duration.ofHours(24));

            assertThat(calls.call("second")).isEqualTo("second");
        }
    }

    @Nested
    class AnyOtherException {

        @Test
        void freesTheKey() throws Throwable {
            TestIdempotency calls = replaying(DeclinedForGood.class);
            failing(calls, new Declined("a superclass of the one listed"));

            assertThat(calls.call("second")).isEqualTo("second");
            calls.assertCounted(RELEASED, EXECUTED);
        }

        @Test
        void freesTheKeyAlsoIfItsCauseIsListed() throws Throwable {
            TestIdempotency calls = replaying(Declined.class);
            failing(calls, new IllegalStateException(new Declined("no funds")));

            assertThat(calls.call("second")).isEqualTo("second");
        }
    }

    /** Whoever can write into the store must not choose what code runs here. */
    @Nested
    class AStoredClassThatIsNotListed {

        private final TestIdempotency calls = replaying(Declined.class);

        private void plant(String content) {
            ClaimRequest request = new ClaimRequest(
                    RecordKey.of(TextOperation.NAME, "", "key"),
                    "somebody",
                    "",
                    Duration.ofSeconds(30),
                    Duration.ofHours(1),
                    true);
            Claim.Acquired acquired = (Claim.Acquired) calls.memory.claim(request);
            calls.memory.complete(
                    acquired.token(),
                    new StoredResult(StoredResult.Kind.EXCEPTION, content.getBytes(StandardCharsets.UTF_8)),
                    Duration.ofHours(1));
        }

        private void assertIsRefused() {
            assertThatThrownBy(calls.calling()).isInstanceOf(IdempotencyStoreException.class);
            calls.assertExecutions(0);
            calls.assertCounted(STORE_FAILURE);
        }

        @Test
        void isNeitherInitialisedNorInstantiated() {
            plant(ReplayedExceptionTests.class.getName() + "$Boobytrap\nboo");

            assertIsRefused();

            assertThat(Trap.sprung).isFalse();
        }

        /** It is a subclass of the one listed, and cannot be rebuilt. */
        @Test
        void isNotInitialisedWithoutTheConstructor() {
            plant(ReplayedExceptionTests.class.getName() + "$TrapWithoutConstructor\nboo");

            assertIsRefused();

            assertThat(Trap.sprung).isFalse();
        }

        @Test
        void mayBeNoExceptionAtAll() {
            plant("java.lang.ProcessBuilder\nrm");

            assertIsRefused();
        }

        @Test
        void mayNotExist() {
            plant("com.example.Gone\nno funds");

            assertIsRefused();
        }

        @Test
        void mayBeAnArrayOrNothing() {
            for (String content : new String[] {"", "\n", "[I", "int", "\u0000"}) {
                AStoredClassThatIsNotListed planted = new AStoredClassThatIsNotListed();
                planted.plant(content);
                planted.assertIsRefused();
            }
        }
    }

    public static class Declined extends RuntimeException {

        public Declined(@Nullable String message) {
            super(message);
        }
    }

    public static final class DeclinedForGood extends Declined {

        public DeclinedForGood(String message) {
            super(message);
        }
    }

    public static final class DeclinedWithoutConstructor extends Declined {

        public DeclinedWithoutConstructor() {
            super("no constructor");
        }
    }

    public static final class DeclinedById extends Declined {

        public DeclinedById(String id) {
            this("Declined: ", UUID.fromString(id).toString());
        }

        private DeclinedById(String text, @Nullable String more) {
            super(more == null ? null : text + more);
        }
    }

    public static final class NoSuchOrder extends RuntimeException {

        public NoSuchOrder(String id) {
            super("There is no order " + id + ".");
        }
    }

    public static final class Checked extends Exception {

        public Checked(String message) {
            super(message);
        }
    }

    private static final class Trap {

        static volatile boolean sprung;
    }

    public static final class TrapWithoutConstructor extends Declined {

        static {
            Trap.sprung = true;
        }

        public TrapWithoutConstructor() {
            super("no constructor");
        }
    }

    public static final class Boobytrap extends RuntimeException {

        static {
            Trap.sprung = true;
        }

        public Boobytrap(String message) {
            super(message);
        }
    }
}
