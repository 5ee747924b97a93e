package dev.resilience.spring.idempotency.fingerprint;

import java.lang.reflect.Field;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.core.ResolvableType;

/** Tells a native image the fields by which arguments are compared, as far as declared types tell. */
public final class ArgumentHints {

    private ArgumentHints() {}

    /** Registers the fields of an argument's parts, however deep. */
    public static void register(ResolvableType argument, ReflectionHints hints) {
        for (Class<?> type : ArgumentTypes.of(argument).classes()) {
            for (Property property : Shape.of(type).fields()) {
                if (property.declared() instanceof Field field) {
                    hints.registerField(field);
                }
            }
        }
    }
}
