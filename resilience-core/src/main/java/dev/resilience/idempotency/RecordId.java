package dev.resilience.idempotency;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * How a record is found: by a SHA-256 over method, caller and key, each with its length before it, so that no two
 * combinations run together. Stores never see the key itself, and their collations cannot make two keys one.
 */
final class RecordId {

    private static final int LONGEST_KEY = 255;

    private RecordId() {}

    static String of(String operation, String callerScope, String key) {
        check(key);
        MessageDigest digest = sha256();
        for (String part : new String[] {operation, callerScope, key}) {
            // as chars: an encoding would make one question mark of every half of a surrogate pair
            ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES + Character.BYTES * part.length());
            bytes.putInt(part.length());
            bytes.asCharBuffer().put(part);
            digest.update(bytes.array());
        }
        return HexFormat.of().formatHex(digest.digest());
    }

    static String fingerprint(byte[] arguments) {
        return HexFormat.of().formatHex(sha256().digest(arguments));
    }

    private static void check(String key) {
        if (key.isEmpty()) {
            throw new IdempotencyKeyInvalidException("The idempotency key is empty");
        }
        if (key.length() > LONGEST_KEY) {
            throw new IdempotencyKeyInvalidException(
                    "The idempotency key has " + key.length() + " characters; at most " + LONGEST_KEY + " are allowed");
        }
        if (key.chars().anyMatch(Character::isISOControl)) {
            throw new IdempotencyKeyInvalidException("The idempotency key contains control characters");
        }
    }

    private static MessageDigest sha256() {
        try {
            return MessageDigest.getInstance("SHA-256");
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException("Every Java platform has SHA-256", impossible);
        }
    }
}
