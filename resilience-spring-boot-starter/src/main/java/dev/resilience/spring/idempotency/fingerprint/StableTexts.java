package dev.resilience.spring.idempotency.fingerprint;

import java.util.Calendar;
import java.util.Collection;
import java.util.Collections;
import java.util.Date;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import org.jspecify.annotations.Nullable;

/**
 * Tells which values have a text that is the same for equal values and in every process, so that it can be a key: numbers,
 * texts, truths, enums, ids, dates and times of {@code java.time}, lists and sorted sets of these, records that hold
 * nothing else, and classes of the application with a {@code toString()} of their own.
 */
public final class StableTexts {

    /** Why the text of a type's values is not certain; {@code null} for all that only a value can tell. */
    private static final ClassValue<@Nullable String> WHY_NOT = new ClassValue<>() {
        @Override
        protected @Nullable String computeValue(Class<?> type) {
            return why(type);
        }
    };

    private final String text;
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());

    private StableTexts(String text) {
        this.text = text;
    }

    /** Why the text of a declared type's values is not certain, or {@code null} if it may be. */
    public static @Nullable String whyNot(Class<?> type) {
        return WHY_NOT.get(type);
    }

    /** Finds what makes a text uncertain: the value itself, or a part of it that is in the text. */
    public static @Nullable Object find(String text, Object value) {
        if (whyNot(value) != null) {
            return value;
        }
        return hasParts(value) ? new StableTexts(text).findIn(value) : null;
    }

    /** Why the text of a value is not certain; {@code null} if it is, as far as its parts' texts are. */
    public static @Nullable String whyNot(Object value) {
        boolean isOrdered =
                value instanceof List<?> || value instanceof SortedSet<?> || !(value instanceof Collection<?>);
        String why = WHY_NOT.get(value.getClass());
        return why != null || isOrdered || Shape.of(value.getClass()).kind() == Shape.Kind.LIST
                ? why
                : "whose elements have no certain order";
    }

    private static @Nullable String why(Class<?> type) {
        if (type.isArray()) {
            return "an array, which has no toString() of its own";
        }
        if (Map.class.isAssignableFrom(type)) {
            return SortedMap.class.isAssignableFrom(type) ? null : "whose entries have no certain order";
        }
        if (Set.class.isAssignableFrom(type)) {
            return SortedSet.class.isAssignableFrom(type) ? null : "whose elements have no certain order";
        }
        if (Date.class.isAssignableFrom(type) || Calendar.class.isAssignableFrom(type)) {
            return "whose text depends on the time zone of the process";
        }
        return NoValues.why(type) == null ? null : "which is not a value";
    }

    private static boolean hasParts(Object value) {
        return value instanceof Record
                || value instanceof Collection<?>
                || value instanceof Map<?, ?>
                || value instanceof Optional<?>;
    }

    private @Nullable Object findIn(Object value) {
        if (!seen.add(value)) {
            return null;
        }
        if (value instanceof Collection<?> elements) {
            return findAmong(elements);
        }
        if (value instanceof Map<?, ?> entries) {
            Object found = findAmong(entries.keySet());
            return found == null ? findAmong(entries.values()) : found;
        }
        if (value instanceof Optional<?> optional) {
            return findPart(optional.orElse(null));
        }
        for (Property component : Shape.of(value.getClass()).fields()) {
            Object found = findPart(component.of(value));
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    private @Nullable Object findAmong(Collection<?> parts) {
        for (Object part : parts) {
            Object found = findPart(part);
            if (found != null) {
                return found;
            }
        }
        return null;
    }

    /** A record with a text of its own need not show it. */
    private @Nullable Object findPart(@Nullable Object part) {
        if (part == null) {
            return null;
        }
        if (whyNot(part) != null) {
            return text.contains(part.toString()) ? part : null;
        }
        return hasParts(part) ? findIn(part) : null;
    }
}
