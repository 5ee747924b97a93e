package dev.resilience.spring.fallback;

import dev.resilience.exception.BodyCancelledException;
import dev.resilience.fallback.FallbackMethod;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.kind.ProtectedCall;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** The fallback methods of one protected method, of which the one with the closest exception type answers. */
final class ReflectiveFallback implements FallbackMethod {

    private final FallbackOwner owner;
    private final List<FallbackForm> forms;
    private final List<Class<? extends Throwable>> on;
    private final List<Class<? extends Throwable>> except;

    /**
     * @param forms at most one for each type of failure, and for none
     */
    ReflectiveFallback(
            FallbackOwner owner,
            List<FallbackForm> forms,
            Class<? extends Throwable>[] on,
            Class<? extends Throwable>[] except) {
        this.owner = owner;
        this.forms = List.copyOf(forms);
        this.on = List.of(on);
        this.except = List.of(except);
        forms.forEach(form -> ReflectionUtils.makeAccessible(form.method()));
    }

    /** Whether no exception of an application comes through. */
    boolean answersForAll() {
        return except.isEmpty()
                && (on.isEmpty() || on.contains(Exception.class) || on.contains(Throwable.class))
                && forms.stream()
                        .map(FallbackForm::failure)
                        .anyMatch(taken -> taken == null || taken == Exception.class || taken == Throwable.class);
    }

    List<Method> methods() {
        return forms.stream().map(FallbackForm::method).toList();
    }

    @Override
    public boolean answers(Throwable failure) {
        boolean wanted = on.isEmpty() || on.stream().anyMatch(type -> type.isInstance(failure));
        return wanted
                && !(failure instanceof BodyCancelledException)
                && except.stream().noneMatch(type -> type.isInstance(failure))
                && closest(failure) != null;
    }

    @Override
    public @Nullable Object answer(Invocation invocation, Throwable failure) throws Throwable {
        FallbackForm form = closest(failure);
        if (form == null) {
            throw failure;
        }
        ProtectedCall call = (ProtectedCall) invocation;
        Object target = owner.objectFor(call);
        Method method = invocable(form, target);
        @Nullable Object[] arguments = form.arguments(invocation.arguments(), failure, call.continuation());
        if (form.candidate().isSuspending()) { // as Spring calls the protected function itself
            return call.result(AopUtils.invokeJoinpointUsingReflection(target, method, arguments));
        }
        Object answer;
        try {
            answer = method.invoke(target, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
        if (answer == null && form.candidate().isAsynchronous()) {
            throw new NullPointerException("The fallback method " + form.candidate() + " returned null in place of a "
                    + form.method().getReturnType().getSimpleName());
        }
        return call.result(answer);
    }

    /** The proxy of a bean that is made late may know the method by its interface alone. */
    private static Method invocable(FallbackForm form, @Nullable Object target) {
        Method method = form.method();
        if (target == null
                || Modifier.isStatic(method.getModifiers())
                || method.getDeclaringClass().isInstance(target)) {
            return method;
        }
        return Arrays.stream(target.getClass().getInterfaces())
                .flatMap(known -> Arrays.stream(known.getMethods()))
                .filter(known -> AopUtils.getMostSpecificMethod(
                                known, form.candidate().type())
                        .equals(method))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("The fallback method " + form.candidate()
                        + " is in none of the interfaces through which its bean is proxied"));
    }

    private @Nullable FallbackForm closest(Throwable failure) {
        FallbackForm closest = null;
        int distance = Integer.MAX_VALUE;
        for (FallbackForm form : forms) {
            int steps = form.distance(failure);
            if (steps < distance) {
                closest = form;
                distance = steps;
            }
        }
        return closest;
    }
}
