package dev.resilience.spring.idempotency.fingerprint;

import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds the object whose {@link Object#toString} is in a text: the text is another one for every object, even for an
 * equal one, and as a key would protect nothing. Texts are compared because a native image does not know by reflection
 * which class has the method.
 */
public final class IdentityTexts {

    /** Most addresses of mail have no such part. */
    private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]{1,8}(?!\\w)");

    /** Of sources that lead to half of the application. */
    private static final int MOST_OBJECTS = 10_000;

    private final String text;
    private final Deque<Object> pending = new ArrayDeque<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    /** One of those that there were too many of to look at. */
    private @Nullable Object left;

    private IdentityTexts(String text) {
        this.text = text;
    }

    /**
     * Finds an object, however deep among those that the text was made of.
     *
     * @return {@code null} if none of them is in the text in this way; where there are too many to look at all, one of these
     */
    public static @Nullable Object find(String text, @Nullable Object... sources) {
        boolean isLikely = text.indexOf('@') >= 0 && IDENTITY.matcher(text).find();
        return isLikely ? new IdentityTexts(text).findAmong(sources) : null;
    }

    private @Nullable Object findAmong(@Nullable Object[] sources) {
        for (Object source : sources) {
            add(source);
        }
        Object next = pending.poll();
        while (next != null) {
            String name = next.getClass().getName() + '@';
            if (text.contains(name)
                    && (hasNumber(name, next.hashCode()) || hasNumber(name, System.identityHashCode(next)))) {
                return next;
            }
            addParts(next);
            next = pending.poll();
        }
        return left;
    }

    private boolean hasNumber(String name, int number) {
        String identity = name + Integer.toHexString(number);
        for (int at = text.indexOf(identity); at >= 0; at = text.indexOf(identity, at + 1)) {
            int end = at + identity.length();
            if (end == text.length() || Character.digit(text.charAt(end), 16) < 0) {
                return true;
            }
        }
        return false;
    }

    private void add(@Nullable Object part) {
        if (part == null || part instanceof String) {
            return;
        }
        if (seen.size() == MOST_OBJECTS) {
            left = seen.contains(part) ? left : part;
        } else if (seen.add(part)) {
            pending.add(part);
        }
    }

    private void addParts(Object owner) {
        Shape shape = Shape.of(owner.getClass());
        if (owner instanceof Object[] elements) {
            for (Object element : elements) {
                add(element);
            }
        } else if (shape.kind() != Shape.Kind.REFUSED && owner instanceof Collection<?> elements) {
            elements.forEach(this::add);
        } else if (shape.kind() != Shape.Kind.REFUSED && owner instanceof Map<?, ?> entries) {
            entries.forEach((key, value) -> {
                add(key);
                add(value);
            });
        }
        if (shape.view() != null) {
            add(shape.view().parts().apply(owner));
        }
        shape.fields().forEach(field -> add(field.of(owner)));
    }
}
