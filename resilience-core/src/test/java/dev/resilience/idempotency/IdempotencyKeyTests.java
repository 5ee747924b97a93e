package dev.resilience.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.idempotency.store.RecordKey;
import dev.resilience.policy.CallMode;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(CallMode.class)
class IdempotencyKeyTests {

    private final TestIdempotency calls;

    IdempotencyKeyTests(CallMode mode) {
        this.calls = new TestIdempotency(mode);
    }

    /** Before the store is asked. */
    private void assertInvalid(String key, String reason) {
        calls.store.goDown();
        assertThatExceptionOfType(IdempotencyKeyInvalidException.class)
                .isThrownBy(calls.calling(key, "payload"))
                .withMessage(reason);
        calls.assertExecutions(0);
        calls.assertCounted();
        calls.store.comeBack();
    }

    /** Each of these is a key of its own. */
    private void assertAllDiffer(String... keys) throws Throwable {
        for (int i = 0; i < 2 * keys.length; i++) {
            int number = i;
            assertThat(calls.call(keys[i % keys.length], "payload", () -> "call " + number))
                    .isEqualTo("call " + i % keys.length);
        }
        calls.assertExecutions(keys.length);
    }

    @Test
    void mustNotBeEmpty() {
        assertInvalid("", "The idempotency key is empty");
    }

    @Test
    void mustNotBeLongerThan255Characters() throws Throwable {
        assertInvalid("x".repeat(256), "The idempotency key has 256 characters; at most 255 are allowed");

        assertAllDiffer("x".repeat(255), "x".repeat(254), "x".repeat(254) + "y");
    }

    @Test
    void mustNotContainControlCharacters() {
        for (char control : new char[] {0, '\t', '\n', '\r', 0x1f, 0x7f, 0x85, 0x9f}) {
            assertInvalid("secret" + control, "The idempotency key contains control characters");
            assertInvalid(control + "secret", "The idempotency key contains control characters");
        }
    }

    @Test
    void isComparedByteForByte() throws Throwable {
        assertAllDiffer("key", "Key", "KEY", "key ", " key", "ke y");
    }

    @Test
    void isNotNormalised() throws Throwable {
        assertAllDiffer("caf\u00e9", "cafe\u0301", "cafe", "\uff43\uff41\uff46\uff45", "ß", "ss", "ı", "i");
    }

    @Test
    void mayBeAnyText() throws Throwable {
        assertAllDiffer(" ", "'", "\"", "%", "_", "\\", "*", "?", "\ud83d\udcb8", "\ud83d\udcb9", "\u20ac");
    }

    @Test
    void mayEvenBeHalfACharacter() throws Throwable {
        assertAllDiffer("?", "\ud83d", "\ud83e", "\udcb8");
    }

    @Test
    void isNotWhatStoresSee() {
        RecordKey key = RecordKey.of("operation", "caller", "secret");

        for (String hash : new String[] {key.id(), key.callerHash(), key.keyHash()}) {
            assertThat(hash).matches("[0-9a-f]{64}");
        }
        assertThat(key.id())
                .isEqualTo(RecordKey.of("operation", "caller", "secret").id());
        assertThat(key).hasToString("a key of operation");
    }

    @Test
    void partsDoNotRunTogether() {
        RecordKey[] keys = {
            RecordKey.of("ab", "c", "d"),
            RecordKey.of("a", "bc", "d"),
            RecordKey.of("ab", "", "cd"),
            RecordKey.of("", "abc", "d"),
            RecordKey.of("abc", "", "d")
        };

        assertThat(keys).doesNotHaveDuplicates();
        assertThat(Stream.of(keys).map(RecordKey::id)).doesNotHaveDuplicates();
    }
}
