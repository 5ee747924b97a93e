package dev.resilience.spring.deadletter.jdbc;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The primary keys of letters: 12 bytes of the hash of the policy's name, so that the letters of one policy lie side by side,
 * and then the letter's id. No collation compares bytes.
 */
final class LetterIds {

    static final int BYTES_OF_POLICY = 12;
    private static final int BYTES = 48;

    private LetterIds() {}

    static byte[] of(String policy, String id) {
        byte[] ofLetter = id.getBytes(StandardCharsets.UTF_8);
        byte[] key = Arrays.copyOf(hash(policy), BYTES_OF_POLICY + ofLetter.length);
        System.arraycopy(ofLetter, 0, key, BYTES_OF_POLICY, ofLetter.length);
        return key;
    }

    /** Less than all keys of the policy. */
    static byte[] first(String policy) {
        return hash(policy);
    }

    /** More than all keys of the policy. */
    static byte[] last(String policy) {
        byte[] last = Arrays.copyOf(hash(policy), BYTES);
        Arrays.fill(last, BYTES_OF_POLICY, BYTES, (byte) 0xFF);
        return last;
    }

    static String idIn(byte[] key) {
        return new String(key, BYTES_OF_POLICY, key.length - BYTES_OF_POLICY, StandardCharsets.UTF_8);
    }

    private static byte[] hash(String policy) {
        try {
            byte[] whole = MessageDigest.getInstance("SHA-256").digest(policy.getBytes(StandardCharsets.UTF_8));
            return Arrays.copyOf(whole, BYTES_OF_POLICY);
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible); // every JDK has it
        }
    }
}
