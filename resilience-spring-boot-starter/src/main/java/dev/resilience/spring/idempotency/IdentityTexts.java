package dev.resilience.spring.idempotency;

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
final class IdentityTexts {

    /** Most addresses of mail have no such part. */
    private static final Pattern IDENTITY = Pattern.compile("@[0-9a-f]{1,8}(?!\\w)");

    /** Of sources that lead to half of the application. */
    private static final int MOST_OBJECTS = 10_000;

    private final String text;
    private final Deque<Object> pending = new ArrayDeque<>();
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private IdentityTexts(String text) {
        this.text = text;
    }

    /**
     * Finds an object, however deep among those that the text was made of.
     *
     * @return {@code null} if none of them is in the text in this way
     */
    static @Nullable Object find(String text, @Nullable Object... sources) {
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
            if (text.contains(name) && text.contains(name + Integer.toHexString(next.hashCode()))) {
                return next;
            }
            addParts(next);
            next = pending.poll();
        }
        return null;
    }

    private void add(@Nullable Object part) {
        if (part != null && !(part instanceof String) && seen.size() < MOST_OBJECTS && seen.add(part)) {
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
