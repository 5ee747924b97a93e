package dev.resilience.spring.fallback;

import dev.resilience.annotation.Fallback;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.core.ResolvableType;
import org.springframework.util.ReflectionUtils;

/** Finds the methods that a {@link Fallback} names. */
final class FallbackResolver {

    private FallbackResolver() {}

    static ReflectiveFallback resolve(Fallback annotation, Method method, Class<?> type) {
        List<Method> candidates = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(type))
                .filter(candidate -> !candidate.equals(method) && candidate.getDeclaringClass() != Object.class)
                .toList();
        List<Method> named = candidates.stream()
                .filter(candidate -> candidate.getName().equals(annotation.value()))
                .toList();
        if (named.isEmpty()) {
            Set<String> names = candidates.stream().map(Method::getName).collect(Collectors.toSet());
            throw new ResilienceConfigurationException(
                    "The fallback method '" + annotation.value() + "' of " + MethodNames.full(method, type)
                            + " does not exist in " + type.getName(),
                    "Write the method, or correct the name. " + NearestNames.suggest(annotation.value(), names));
        }
        List<Method> matching = named.stream()
                .filter(candidate ->
                        parametersMatch(candidate, method, type) && returnTypeMatches(candidate, method, type))
                .toList();
        if (matching.isEmpty()) {
            throw new ResilienceConfigurationException(
                    "The fallback method '" + annotation.value() + "' of " + MethodNames.full(method, type)
                            + " does not match it: found "
                            + named.stream()
                                    .map(found -> found.getReturnType().getSimpleName() + " "
                                            + MethodNames.readable(found, type))
                                    .collect(Collectors.joining("; ")),
                    "A fallback method has the same parameters, optionally followed by one Throwable, and returns "
                            + ResolvableType.forMethodReturnType(method, type) + ".");
        }
        return new ReflectiveFallback(matching, method.getParameterCount(), annotation.on(), annotation.except());
    }

    private static boolean parametersMatch(Method candidate, Method method, Class<?> type) {
        Class<?>[] expected = parameters(method, type);
        Class<?>[] actual = parameters(candidate, type);
        boolean takesFailure =
                actual.length == expected.length + 1 && Throwable.class.isAssignableFrom(actual[expected.length]);
        return (actual.length == expected.length || takesFailure)
                && Arrays.equals(expected, Arrays.copyOf(actual, expected.length));
    }

    /** What the parameters are in a class that may say what a generic class above it has left open. */
    private static Class<?>[] parameters(Method method, Class<?> type) {
        Class<?>[] parameters = new Class<?>[method.getParameterCount()];
        Arrays.setAll(
                parameters,
                i -> ResolvableType.forMethodParameter(method, i, type).resolve(method.getParameterTypes()[i]));
        return parameters;
    }

    /** A raw type, {@code List} for {@code List<String>}, says nothing of its elements, and the compiler lets it pass. */
    private static boolean returnTypeMatches(Method candidate, Method method, Class<?> type) {
        if (method.getReturnType() == void.class) {
            return candidate.getReturnType() == void.class;
        }
        ResolvableType expected = ResolvableType.forMethodReturnType(method, type);
        ResolvableType actual = ResolvableType.forMethodReturnType(candidate, type);
        return expected.isAssignableFrom(actual)
                || isValueOf(expected, actual)
                || (actual.hasUnresolvableGenerics() && expected.toClass().isAssignableFrom(actual.toClass()));
    }

    /** {@code String} for {@code Mono<String>}: a publisher's fallback may be a value that is there at once. */
    private static boolean isValueOf(ResolvableType expected, ResolvableType actual) {
        return expected.toClass().getName().startsWith("reactor.core.publisher.")
                && expected.getGeneric().isAssignableFrom(actual);
    }
}
