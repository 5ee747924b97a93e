package dev.resilience.spring.fallback;

import dev.resilience.exception.BodyCancelledException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.fallback.FallbackMethod;
import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.kind.ProtectedCall;
import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.util.ReflectionUtils;

/** The fallback methods of one protected method, of which the one with the closest exception type answers. */
final class ReflectiveFallback implements FallbackMethod {

    /** What is wrong with a caller's own key is no failure of the callee, and an answer in its place would hide it. */
    private static final Set<Class<? extends Throwable>> OF_CALLERS_KEY = Set.of(
            IdempotencyKeyMissingException.class,
            IdempotencyKeyInvalidException.class,
            IdempotencyKeyReusedException.class,
            IdempotencyInProgressException.class,
            IdempotencyOutcomeUnknownException.class);

    private final FallbackTarget target;
    private final List<Form> forms;
    private final List<Class<? extends Throwable>> on;
    private final List<Class<? extends Throwable>> except;

    /**
     * @param forms at most one for each type of failure, and for none
     */
    ReflectiveFallback(
            FallbackTarget target,
            List<Form> forms,
            Class<? extends Throwable>[] on,
            Class<? extends Throwable>[] except) {
        this.target = target;
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
                        .map(Form::failure)
                        .anyMatch(taken -> taken == null || taken == Exception.class || taken == Throwable.class);
    }

    List<Method> methods() {
        return forms.stream().map(Form::method).toList();
    }

    @Override
    public boolean answers(Throwable failure) {
        return isWanted(failure)
                && !(failure instanceof BodyCancelledException)
                && except.stream().noneMatch(type -> type.isInstance(failure))
                && closest(failure) != null;
    }

    private boolean isWanted(Throwable failure) {
        return OF_CALLERS_KEY.contains(failure.getClass())
                ? on.contains(failure.getClass())
                : on.isEmpty() || on.stream().anyMatch(type -> type.isInstance(failure));
    }

    /** The methods that take a refusal which {@code on} would have to list, and so are never called. */
    List<Method> unreachable() {
        return forms.stream()
                .filter(form -> form.failure != null && OF_CALLERS_KEY.contains(form.failure))
                .filter(form -> !on.contains(form.failure))
                .map(Form::method)
                .toList();
    }

    @Override
    public @Nullable Object answer(Invocation invocation, Throwable failure) throws Throwable {
        Form form = closest(failure);
        if (form == null) {
            throw failure;
        }
        ProtectedCall call = (ProtectedCall) invocation;
        Object bean = target.objectFor(call);
        Method method = bean == null ? form.method() : FallbackTarget.invocable(form.candidate(), bean.getClass());
        if (method == null) {
            throw new IllegalStateException("The fallback method " + form.candidate()
                    + " is in none of the interfaces through which its bean is proxied");
        }
        @Nullable Object[] arguments = form.arguments(invocation.arguments(), failure, call.continuation());
        if (form.candidate().isSuspending()) { // as Spring calls the protected function itself
            return call.result(AopUtils.invokeJoinpointUsingReflection(bean, method, arguments));
        }
        Object answer;
        try {
            answer = method.invoke(bean, arguments);
        } catch (InvocationTargetException thrown) {
            throw thrown.getTargetException();
        }
        if (answer == null && form.candidate().isAsynchronous()) {
            throw new NullPointerException("The fallback method " + form.candidate() + " returned null in place of a "
                    + form.method().getReturnType().getSimpleName());
        }
        return call.result(answer);
    }

    private @Nullable Form closest(Throwable failure) {
        Form closest = null;
        int distance = Integer.MAX_VALUE;
        for (Form form : forms) {
            int steps = form.distance(failure);
            if (steps < distance) {
                closest = form;
                distance = steps;
            }
        }
        return closest;
    }

    /**
     * How a fallback method is called: with the first so many of the call's arguments, and the failure before or after them.
     *
     * @param taken how many arguments of the call it takes
     * @param failure the type of the failure that it takes; {@code null} if it takes none
     * @param failureFirst whether the failure comes before the arguments
     */
    record Form(
            FallbackCandidate candidate,
            int taken,
            @Nullable Class<?> failure,
            boolean failureFirst) {

        /** The form of a candidate; {@code null} if its parameters do not match. An exception among the arguments comes first. */
        static @Nullable Form of(FallbackCandidate candidate, FallbackCandidate protectedMethod) {
            int count = SuspendingFunctions.parameterCount(candidate.method());
            if (takesFirst(candidate, 0, count, protectedMethod)) {
                return new Form(candidate, count, null, false);
            }
            if (isFailure(candidate, count - 1) && takesFirst(candidate, 0, count - 1, protectedMethod)) {
                return new Form(candidate, count - 1, candidate.erasure(count - 1), false);
            }
            if (isFailure(candidate, 0) && takesFirst(candidate, 1, count - 1, protectedMethod)) {
                return new Form(candidate, count - 1, candidate.erasure(0), true);
            }
            return null;
        }

        private static boolean takesFirst(
                FallbackCandidate candidate, int from, int count, FallbackCandidate protectedMethod) {
            return count <= SuspendingFunctions.parameterCount(protectedMethod.method())
                    && IntStream.range(0, count).allMatch(i -> candidate.takes(from + i, protectedMethod, i));
        }

        private static boolean isFailure(FallbackCandidate candidate, int parameter) {
            return parameter >= 0 && Throwable.class.isAssignableFrom(candidate.erasure(parameter));
        }

        Method method() {
            return candidate.method();
        }

        /** Steps up the failure's hierarchy to what the method takes; a method that takes none comes after all others. */
        int distance(Throwable thrown) {
            if (failure == null) {
                return Integer.MAX_VALUE - 1;
            }
            int steps = 0;
            for (Class<?> type = thrown.getClass(); type != null; type = type.getSuperclass()) {
                if (type == failure) {
                    return steps;
                }
                steps++;
            }
            return Integer.MAX_VALUE;
        }

        /**
         * What the method is called with.
         *
         * @param continuation where it goes on, if it is a suspending function
         */
        @Nullable
        Object[] arguments(@Nullable Object[] ofCall, Throwable thrown, @Nullable Object continuation) {
            @Nullable Object[] arguments = new Object[method().getParameterCount()];
            System.arraycopy(ofCall, 0, arguments, failureFirst ? 1 : 0, taken);
            if (failure != null) {
                arguments[failureFirst ? 0 : taken] = thrown;
            }
            if (candidate.isSuspending()) {
                arguments[arguments.length - 1] = continuation;
            }
            return arguments;
        }
    }
}
