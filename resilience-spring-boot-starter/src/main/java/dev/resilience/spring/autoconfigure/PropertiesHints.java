package dev.resilience.spring.autoconfigure;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/**
 * Properties can be bound in a native image too. They are bound without a bean, so Boot does not see to that, and
 * {@link KnownKeys} looks at their setters.
 */
final class PropertiesHints implements RuntimeHintsRegistrar {

    private static final List<Class<?>> TYPES = List.of(
            ResilienceProperties.class,
            RetryProperties.class,
            RetryBudgetProperties.class,
            CircuitBreakerProperties.class,
            BulkheadProperties.class,
            TimeLimitProperties.class,
            IdempotencyProperties.class);

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        BindableRuntimeHintsRegistrar.forTypes(TYPES).registerHints(hints, classLoader);
        TYPES.forEach(type -> registerMethods(hints, type));
    }

    private static void registerMethods(RuntimeHints hints, Class<?> type) {
        hints.reflection().registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS);
        for (Class<?> nested : type.getDeclaredClasses()) {
            registerMethods(hints, nested);
        }
    }
}
