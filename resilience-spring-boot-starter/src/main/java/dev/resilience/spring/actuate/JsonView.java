package dev.resilience.spring.actuate;

import dev.resilience.spring.actuate.ResilienceWebEndpointExtension.EndpointRefusal;
import java.lang.reflect.RecordComponent;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ObjectUtils;
import org.springframework.util.ReflectionUtils;

/** What is shown, in a form that JSON can write whatever a kind of the application's own has put there. */
final class JsonView {

    private JsonView() {}

    /**
     * Filled by the content; one that fails, of a kind of the application's own for example, says so in its place and takes nothing
     * else away.
     */
    static Map<String, Object> guarded(Consumer<Map<String, @Nullable Object>> content) {
        Map<String, Object> view = new LinkedHashMap<>();
        try {
            Map<String, @Nullable Object> filled = new LinkedHashMap<>();
            content.accept(filled);
            filled.values().removeIf(Objects::isNull);
            filled.forEach((key, value) -> view.put(key, Objects.requireNonNull(of(value))));
        } catch (RuntimeException | LinkageError | StackOverflowError failed) {
            view.clear();
            view.put("problem", EndpointRefusal.shortened(failed.toString()));
        }
        return view;
    }

    /** Numbers, truth values, lists, maps and records as such; everything else is its text. */
    private static @Nullable Object of(@Nullable Object shown) {
        Map<String, @Nullable Object> parts = new LinkedHashMap<>();
        if (shown instanceof Map<?, ?> map) {
            map.forEach((key, value) -> parts.put(String.valueOf(key), of(value)));
            return parts;
        }
        if (shown instanceof Record) {
            for (RecordComponent part : shown.getClass().getRecordComponents()) {
                ReflectionUtils.makeAccessible(part.getAccessor());
                parts.put(part.getName(), of(ReflectionUtils.invokeMethod(part.getAccessor(), shown)));
            }
            return parts;
        }
        if (shown instanceof Collection<?> || ObjectUtils.isArray(shown)) {
            return Stream.of(ObjectUtils.toObjectArray(shown instanceof Collection<?> list ? list.toArray() : shown))
                    .map(JsonView::of)
                    .toList();
        }
        return shown == null || shown instanceof Number || shown instanceof Boolean ? shown : shown.toString();
    }
}
