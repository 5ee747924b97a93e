package dev.resilience.spring.idempotency.fingerprint;

import java.lang.reflect.Array;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Arguments as bytes that are equal if, and only if, a method could see no difference between them: their types, their
 * values and those of all their parts. They are the same in every process and on every release of the JDK.
 *
 * <p>Every part is its kind and what it holds, a text with its length before it, so that no two parts run together.
 * What has no order of its own, such as entries of maps and elements of sets, is sorted by its bytes. A field that is
 * {@code null} is left out: one that a new version of a class adds changes nothing for calls that do not use it.
 *
 * <p>An object that refers to one around it, as a child to its parent, is written as how many objects up that is; a
 * collection, map or array inside of itself is refused.
 */
public final class ArgumentBytes {

    /** As deep as Jackson writes. */
    private static final int DEEPEST = 500;

    /** Objects that refer to each other crosswise are written once for each way to them, which may be without end. */
    private static final int MOST_BYTES = 64 << 20;

    private static final char END = '.';

    private byte[] bytes = new byte[128];
    private int size;
    private @Nullable Object[] around = new Object[8];
    private int depth;

    private ArgumentBytes() {}

    /**
     * Writes the arguments of a call.
     *
     * @throws NotComparableException if an argument has a part that cannot be compared
     */
    public static byte[] of(@Nullable Object[] arguments) {
        ArgumentBytes writer = new ArgumentBytes();
        for (int i = 0; i < arguments.length; i++) {
            try {
                writer.write(arguments[i]);
            } catch (NotComparableException refused) {
                throw refused.in("argument " + i);
            }
        }
        return Arrays.copyOf(writer.bytes, writer.size);
    }

    private void write(@Nullable Object value) {
        if (value == null) {
            put('0');
        } else if (value instanceof String text) {
            put('s');
            text(text);
        } else if (value instanceof Integer number) {
            put('i', number, Integer.BYTES);
        } else if (value instanceof Long number) {
            put('l', number, Long.BYTES);
        } else if (value instanceof Boolean is) {
            put(is ? 'b' : 'B');
        } else if (value instanceof Double number) {
            put('d', Double.doubleToLongBits(number), Long.BYTES);
        } else if (value instanceof Float number) {
            put('f', Float.floatToIntBits(number), Integer.BYTES);
        } else if (value instanceof Short number) {
            put('h', number, Short.BYTES);
        } else if (value instanceof Byte number) {
            put('y', number, Byte.BYTES);
        } else if (value instanceof Character letter) {
            put('c', letter, Character.BYTES);
        } else if (value instanceof Enum<?> constant) {
            put('e');
            name(constant.getDeclaringClass().getName());
            name(constant.name());
        } else {
            nested(value, Shape.of(value.getClass()));
        }
    }

    private void nested(Object value, Shape shape) {
        for (int i = depth - 1; i >= 0; i--) {
            if (around[i] == value) {
                if (shape.kind() != Shape.Kind.OBJECT) {
                    throw new NotComparableException("a " + value.getClass().getName() + " contains itself");
                }
                put('^', depth - i, Integer.BYTES);
                return;
            }
        }
        if (depth == DEEPEST) {
            throw new NotComparableException("it is nested more than " + DEEPEST + " deep");
        }
        if (depth == around.length) {
            around = Arrays.copyOf(around, 2 * depth);
        }
        around[depth++] = value;
        write(value, shape);
        around[--depth] = null;
    }

    private void write(Object value, Shape shape) {
        if (shape.whyNot() != null) {
            throw new NotComparableException(shape.whyNot());
        }
        put(shape.kind().name().charAt(0));
        name(shape.name());
        switch (shape.kind()) {
            case ARRAY -> array(value);
            case LIST -> ((Collection<?>) value).forEach(this::write);
            case SET, COLLECTION -> sorted((Collection<?>) value, this::write);
            case MAP -> sorted(((Map<?, ?>) value).entrySet(), this::entry);
            default -> {}
        }
        if (shape.view() != null) {
            write(shape.view().parts().apply(value));
        }
        for (Property field : shape.fields()) {
            field(field, value);
        }
        put(END);
    }

    private void field(Property field, Object owner) {
        Object value = field.of(owner);
        if (value != null) {
            put('#');
            name(field.name());
            try {
                write(value);
            } catch (NotComparableException refused) {
                throw refused.in(field.name());
            }
        }
    }

    private void array(Object array) {
        if (array instanceof byte[] content) {
            put('#', content.length, Integer.BYTES);
            put(content);
            return;
        }
        for (int i = 0; i < Array.getLength(array); i++) {
            write(Array.get(array, i));
        }
    }

    private void entry(Map.Entry<?, ?> entry) {
        write(entry.getKey());
        write(entry.getValue());
    }

    /** Writes each element behind what there is, and then all of them in order. */
    private <T> void sorted(Collection<? extends T> elements, Consumer<T> writer) {
        List<byte[]> sorted = new ArrayList<>(elements.size());
        int start = size;
        for (T element : elements) {
            writer.accept(element);
            sorted.add(Arrays.copyOfRange(bytes, start, size));
            size = start;
        }
        sorted.sort(Arrays::compare);
        sorted.forEach(this::put);
    }

    /** As chars: an encoding would make one question mark of every half of a surrogate pair. */
    private void text(String text) {
        put(text.length(), Integer.BYTES);
        makeRoom(Character.BYTES * text.length());
        for (int i = 0; i < text.length(); i++) {
            char letter = text.charAt(i);
            bytes[size++] = (byte) (letter >>> Byte.SIZE);
            bytes[size++] = (byte) letter;
        }
    }

    private void name(String name) {
        byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
        put(encoded.length, Integer.BYTES);
        put(encoded);
    }

    private void put(char kind) {
        makeRoom(1);
        bytes[size++] = (byte) kind;
    }

    private void put(char kind, long number, int length) {
        put(kind);
        put(number, length);
    }

    private void put(long number, int length) {
        makeRoom(length);
        for (int i = length - 1; i >= 0; i--) {
            bytes[size++] = (byte) (number >>> (Byte.SIZE * i));
        }
    }

    private void put(byte[] content) {
        makeRoom(content.length);
        System.arraycopy(content, 0, bytes, size, content.length);
        size += content.length;
    }

    private void makeRoom(int length) {
        long needed = (long) size + length;
        if (needed > MOST_BYTES) {
            throw new NotComparableException("it takes more than " + (MOST_BYTES >> 20) + " MB to compare");
        }
        if (needed > bytes.length) {
            bytes = Arrays.copyOf(bytes, Math.max(2 * bytes.length, (int) needed));
        }
    }
}
