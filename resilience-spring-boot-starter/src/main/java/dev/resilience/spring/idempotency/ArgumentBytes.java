package dev.resilience.spring.idempotency;

import java.lang.reflect.Array;
import java.nio.ByteBuffer;
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
final class ArgumentBytes {

    /** As deep as Jackson writes. */
    private static final int DEEPEST = 500;

    private static final char END = '.';

    private ByteBuffer bytes = ByteBuffer.allocate(128);
    private @Nullable Object[] around = new Object[8];
    private int depth;

    private ArgumentBytes() {}

    /**
     * Writes the arguments of a call.
     *
     * @throws NotComparableException if an argument has a part that cannot be compared
     */
    static byte[] of(@Nullable Object[] arguments) {
        ArgumentBytes writer = new ArgumentBytes();
        for (int i = 0; i < arguments.length; i++) {
            try {
                writer.write(arguments[i]);
            } catch (NotComparableException refused) {
                throw refused.in("argument " + i);
            }
        }
        return Arrays.copyOf(writer.bytes.array(), writer.bytes.position());
    }

    private void write(@Nullable Object value) {
        if (value == null) {
            put('0', 0);
        } else if (value instanceof String text) {
            put('s', 0);
            text(text);
        } else if (value instanceof Integer number) {
            put('i', Integer.BYTES).putInt(number);
        } else if (value instanceof Long number) {
            put('l', Long.BYTES).putLong(number);
        } else if (value instanceof Boolean is) {
            put(is ? 'b' : 'B', 0);
        } else if (value instanceof Double number) {
            put('d', Long.BYTES).putLong(Double.doubleToLongBits(number));
        } else if (value instanceof Enum<?> constant) {
            put('e', 0);
            text(constant.getDeclaringClass().getName());
            text(constant.name());
        } else if (!isSmallNumberOrChar(value)) {
            nested(value, Shape.of(value.getClass()));
        }
    }

    private boolean isSmallNumberOrChar(Object value) {
        if (value instanceof Float number) {
            put('f', Integer.BYTES).putInt(Float.floatToIntBits(number));
        } else if (value instanceof Short number) {
            put('h', Short.BYTES).putShort(number);
        } else if (value instanceof Byte number) {
            put('y', 1).put(number);
        } else if (value instanceof Character letter) {
            put('c', Character.BYTES).putChar(letter);
        } else {
            return false;
        }
        return true;
    }

    private void nested(Object value, Shape shape) {
        for (int i = depth - 1; i >= 0; i--) {
            if (around[i] == value) {
                if (shape.kind() != Shape.Kind.OBJECT) {
                    throw new NotComparableException("a " + value.getClass().getName() + " contains itself");
                }
                put('^', Integer.BYTES).putInt(depth - i);
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
        put(shape.kind().name().charAt(0), 0);
        text(shape.name());
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
        put(END, 0);
    }

    private void field(Property field, Object owner) {
        Object value = field.of(owner);
        if (value != null) {
            put('#', 0);
            text(field.name());
            try {
                write(value);
            } catch (NotComparableException refused) {
                throw refused.in(field.name());
            }
        }
    }

    private void array(Object array) {
        if (array instanceof byte[] content) {
            put('#', Integer.BYTES + content.length).putInt(content.length).put(content);
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
        int start = bytes.position();
        for (T element : elements) {
            writer.accept(element);
            sorted.add(Arrays.copyOfRange(bytes.array(), start, bytes.position()));
            bytes.position(start);
        }
        sorted.sort(Arrays::compare);
        sorted.forEach(element -> room(element.length).put(element));
    }

    private void text(String text) {
        room(Integer.BYTES + Character.BYTES * text.length()).putInt(text.length());
        for (int i = 0; i < text.length(); i++) {
            bytes.putChar(text.charAt(i));
        }
    }

    /** Puts the kind of a part, with room for what the part holds. */
    private ByteBuffer put(char kind, int size) {
        return room(1 + size).put((byte) kind);
    }

    private ByteBuffer room(int size) {
        if (bytes.remaining() < size) {
            int capacity = Math.max(2 * bytes.capacity(), Math.addExact(bytes.position(), size));
            bytes = ByteBuffer.wrap(Arrays.copyOf(bytes.array(), capacity)).position(bytes.position());
        }
        return bytes;
    }
}
