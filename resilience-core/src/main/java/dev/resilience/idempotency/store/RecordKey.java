package dev.resilience.idempotency.store;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import org.jspecify.annotations.Nullable;

/**
 * What a record is found by: the method, the caller and the idempotency key, compared character for character.
 *
 * <p>A store that writes anything down writes the hashes: it never sees the key itself, and its collations cannot make
 * two keys one. They are worked out when they are asked for, so that a store which needs none does not pay for them.
 * Immutable.
 */
public final class RecordKey {

    private static final int LONGEST_KEY = 255;

    /** Counts the ways in which arguments were written: those of another one cannot be compared with. */
    private static final String FINGERPRINT_VERSION = "3:";

    private static final int FINGERPRINT_BYTES = 31; // 64 characters with the version
    private static final String HASH_OF_NOBODY = hash("");

    private final String operation;
    private final String caller;
    private final String key;
    private @Nullable String id; // this and the hash of the key are asked for at the claim and at the end
    private @Nullable String keyHash;

    private RecordKey(String operation, String caller, String key) {
        this.operation = operation;
        this.caller = caller;
        this.key = key;
    }

    /**
     * Makes a key of its three parts.
     *
     * @param operation the method's full name
     * @param caller who is calling; empty where callers are not kept apart
     * @throws IdempotencyKeyInvalidException if the key is empty, has more than 255 characters or a control character
     */
    public static RecordKey of(String operation, String caller, String key) {
        check(key);
        return new RecordKey(operation, caller, key);
    }

    static void check(String key) {
        if (key.isEmpty()) {
            throw new IdempotencyKeyInvalidException("The idempotency key is empty");
        }
        if (key.length() > LONGEST_KEY) {
            throw new IdempotencyKeyInvalidException(
                    "The idempotency key has " + key.length() + " characters; at most " + LONGEST_KEY + " are allowed");
        }
        for (int i = 0; i < key.length(); i++) {
            if (Character.isISOControl(key.charAt(i))) {
                throw new IdempotencyKeyInvalidException("The idempotency key contains control characters");
            }
        }
    }

    /** The method's full name. */
    public String operation() {
        return operation;
    }

    /** A SHA-256, in hex, over all three, each with its length before it, so that no two combinations run together. */
    public String id() {
        String known = id;
        if (known == null) {
            known = hash(operation, caller, key);
            id = known;
        }
        return known;
    }

    /** A SHA-256, in hex, over the caller. */
    public String callerHash() {
        return caller.isEmpty() ? HASH_OF_NOBODY : hash(caller);
    }

    /** A SHA-256, in hex, over the key alone, for an operator who looks for it. */
    public String keyHash() {
        String known = keyHash;
        if (known == null) {
            known = hash(key);
            keyHash = known;
        }
        return known;
    }

    /** What the texts hold, if each character takes two bytes; that of the method is shared with the method's other keys. */
    int bytes() {
        return Character.BYTES * (key.length() + caller.length());
    }

    /** A key for another service, which tells nothing of this one. */
    public String downstreamKey(String purpose) {
        return hash("downstream", operation, caller, key, purpose);
    }

    boolean isAmong(RecordSelection selection) {
        return key.equals(selection.key()) && selection.includes(operation, callerHash());
    }

    /** A SHA-256, in hex, over texts, each with its length before it: for stores. */
    public static String hash(String... parts) {
        MessageDigest digest = sha256();
        for (String part : parts) {
            // as chars: an encoding would make one question mark of every half of a surrogate pair
            ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + Character.BYTES * part.length());
            bytes.putInt(part.length());
            bytes.asCharBuffer().put(part);
            digest.update(bytes.array());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    /** The digest of a call's arguments, by which a key that is used for other arguments is noticed. */
    public static String fingerprint(byte[] arguments) {
        return FINGERPRINT_VERSION + HexFormat.of().formatHex(sha256().digest(arguments), 0, FINGERPRINT_BYTES);
    }

    /** A new digest, for stores. */
    public static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof RecordKey that
                && key.equals(that.key)
                && caller.equals(that.caller)
                && operation.equals(that.operation);
    }

    @Override
    public int hashCode() {
        return 31 * (31 * key.hashCode() + caller.hashCode()) + operation.hashCode();
    }

    /** Without the key, which logs must not show. */
    @Override
    public String toString() {
        return "a key of " + operation;
    }
}
