package dev.resilience.spring.aop;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.idempotency.ArgumentHints;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/**
 * Tells a native image what protected methods need of reflection: the results of idempotent ones are read back, their
 * arguments compared and asked for the key; fallback methods are called.
 */
final class ProtectedMethodsHints implements BeanFactoryInitializationAotProcessor {

    /** Not written as it is. */
    private static final String HTTP_ANSWER = "org.springframework.http.ResponseEntity";

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        if (beans.getBeanNamesForType(ResilienceAdvisor.class, true, false).length == 0) {
            return null;
        }
        ProtectedMethods methods = new ProtectedMethods(true, StartupMistakes.thrownAtOnce());
        Set<Class<?>> types = new LinkedHashSet<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null && methods.areIn(type)) {
                types.add(type);
            }
        }
        return (context, code) -> types.forEach(
                type -> register(type, methods, context.getRuntimeHints().reflection()));
    }

    private static void register(Class<?> type, ProtectedMethods methods, ReflectionHints hints) {
        methods.of(type).forEach((method, protection) -> {
            Class<?> written = ProtectedMethods.written(type, method);
            if (protection.idempotent() != null) {
                for (int i = 0; i < method.getParameterCount(); i++) {
                    ArgumentHints.register(ResolvableType.forMethodParameter(method, i, written), hints);
                }
                new BindingReflectionHintsRegistrar()
                        .registerReflectionHints(hints, values(method, written, protection.idempotent()));
            }
            if (protection.fallback() != null) {
                registerFallbacks(protection.fallback(), written, hints);
            }
        });
    }

    private static Class<?>[] values(Method method, Class<?> type, Idempotent annotation) {
        Set<Class<?>> values = new LinkedHashSet<>(Set.of(annotation.resultType()));
        collect(ReturnTypes.resultType(method, type, ReturnTypes.isAsynchronous(method, type)), values);
        for (int i = 0; i < method.getParameterCount(); i++) {
            collect(ResolvableType.forMethodParameter(method, i, type), values);
        }
        values.removeIf(value -> value == void.class || value.getName().equals(HTTP_ANSWER));
        return values.toArray(Class<?>[]::new);
    }

    private static void collect(ResolvableType type, Set<Class<?>> values) {
        values.add(type.resolve(void.class));
        for (ResolvableType generic : type.getGenerics()) {
            collect(generic, values);
        }
    }

    private static void registerFallbacks(Fallback annotation, Class<?> type, ReflectionHints hints) {
        Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
                .filter(method -> method.getName().equals(annotation.value()))
                .forEach(method -> hints.registerMethod(method, ExecutableMode.INVOKE));
    }
}
