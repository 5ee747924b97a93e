package dev.resilience.idempotency;

import dev.resilience.exception.IdempotencyKeyInvalidException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
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
            byte[] bytes = part.getBytes(StandardCharsets.UTF_8);
            digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(0, bytes.length));
            digest.update(bytes);
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
