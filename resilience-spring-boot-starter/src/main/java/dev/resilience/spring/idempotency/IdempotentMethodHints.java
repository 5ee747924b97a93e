package dev.resilience.spring.idempotency;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.idempotency.fingerprint.ArgumentHints;
import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.ResolvableType;

/** What an idempotent method needs of reflection: results are read back, arguments compared and asked for the key. */
final class IdempotentMethodHints {

    /** Not written as it is. */
    private static final String HTTP_ANSWER = "org.springframework.http.ResponseEntity";

    private IdempotentMethodHints() {}

    static void register(
            Idempotent annotation, Method method, Class<?> type, ResolvableType result, ReflectionHints hints) {
        Set<Class<?>> values = new LinkedHashSet<>(Set.of(annotation.resultType()));
        collect(result, values);
        for (int i = 0; i < SuspendingFunctions.parameterCount(method); i++) {
            ResolvableType parameter = ResolvableType.forMethodParameter(method, i, type);
            ArgumentHints.register(parameter, hints);
            collect(parameter, values);
        }
        values.removeIf(value -> value == void.class || value.getName().equals(HTTP_ANSWER));
        new BindingReflectionHintsRegistrar().registerReflectionHints(hints, values.toArray(Class<?>[]::new));
    }

    private static void collect(ResolvableType type, Set<Class<?>> values) {
        values.add(type.resolve(void.class));
        for (ResolvableType generic : type.getGenerics()) {
            collect(generic, values);
        }
    }
}
