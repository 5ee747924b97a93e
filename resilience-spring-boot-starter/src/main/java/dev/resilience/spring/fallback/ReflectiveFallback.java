package dev.resilience.spring.fallback;

import dev.resilience.fallback.FallbackMethod;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.kind.ProtectedCall;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ReflectionUtils;

/** The fallback methods of one protected method, of which the one with the closest exception type answers. */
final class ReflectiveFallback implements FallbackMethod {

    private final List<Method> overloads;
    private final int parameters;
    private final List<Class<? extends Throwable>> on;
    private final List<Class<? extends Throwable>> except;

    /**
     * @param parameters how many parameters the protected method has; a fallback method with one more takes the failure
     */
    ReflectiveFallback(
            List<Method> overloads,
            int parameters,
            Class<? extends Throwable>[] on,
            Class<? extends Throwable>[] except) {
        this.overloads = overloads;
        this.parameters = parameters;
        this.on = List.of(on);
        this.except = List.of(except);
        overloads.forEach(ReflectionUtils::makeAccessible);
    }

    @Override
    public boolean answers(Throwable failure) {
        boolean wanted = on.isEmpty() || on.stream().anyMatch(type -> type.isInstance(failure));
        return wanted
                && except.stream().noneMatch(type -> type.isInstance(failure))
                && closest(failure).isPresent();
    }

    @Override
    public @Nullable Object answer(Invocation invocation, Throwable failure) throws Throwable {
        Method method = closest(failure).orElseThrow(() -> failure);
        ProtectedCall call = (ProtectedCall) invocation;
        @Nullable Object[] arguments = invocation.arguments();
        if (method.getParameterCount() > parameters) {
            arguments =
                    Stream.concat(Arrays.stream(arguments), Stream.of(failure)).toArray();
        }
        Object answer;
        try {
            answer = method.invoke(call.target(), arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
        return call.result(answer);
    }

    private Optional<Method> closest(Throwable failure) {
        return overloads.stream()
                .filter(method -> distance(method, failure) < Integer.MAX_VALUE)
                .min(Comparator.comparingInt(method -> distance(method, failure)));
    }

    /** Steps up the failure's hierarchy to what the method takes; a method that takes none comes after all others. */
    private int distance(Method method, Throwable failure) {
        if (method.getParameterCount() == parameters) {
            return Integer.MAX_VALUE - 1;
        }
        Class<?> wanted = method.getParameterTypes()[parameters];
        int steps = 0;
        for (Class<?> type = failure.getClass(); type != null; type = type.getSuperclass()) {
            if (type == wanted) {
                return steps;
            }
            steps++;
        }
        return Integer.MAX_VALUE;
    }
}
