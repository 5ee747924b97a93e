package dev.resilience.spring.idempotency;

import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Arguments that have no parts, as the keys and amounts of most calls, in bytes that are equal whenever they are: what
 * Jackson would do takes several times as long as all the rest of a replay in memory. Every argument is its kind and
 * what it holds, a text with its length before it, so that no two lists of arguments run together.
 */
final class PlainArguments {

    /** No JSON begins like that. */
    private static final byte START = 0;

    private PlainArguments() {}

    /** Returns {@code null} if an argument is of another kind. */
    static byte @Nullable [] write(@Nullable Object[] arguments) {
        int size = 1;
        for (Object argument : arguments) {
            int length = length(argument);
            if (length < 0) {
                return null;
            }
            size += 1 + length;
        }
        ByteBuffer bytes = ByteBuffer.allocate(size).put(START);
        for (Object argument : arguments) {
            put(argument, bytes);
        }
        return bytes.array();
    }

    private static int length(@Nullable Object argument) {
        if (argument instanceof String text) {
            return Integer.BYTES + Character.BYTES * text.length();
        }
        if (argument instanceof Integer || argument instanceof Long) {
            return Long.BYTES;
        }
        if (argument instanceof Boolean) {
            return 1;
        }
        return argument == null ? 0 : -1;
    }

    private static void put(@Nullable Object argument, ByteBuffer bytes) {
        if (argument instanceof String text) {
            bytes.put((byte) 's').putInt(text.length());
            for (int i = 0; i < text.length(); i++) {
                bytes.putChar(text.charAt(i));
            }
        } else if (argument instanceof Number number) {
            bytes.put((byte) 'n').putLong(number.longValue());
        } else if (argument instanceof Boolean is) {
            bytes.put((byte) 'b').put((byte) (is ? 1 : 0));
        } else {
            bytes.put((byte) '0');
        }
    }
}
