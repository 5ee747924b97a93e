package dev.resilience.spring.fallback;

import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.reactor.ProtectedPublishers.PublisherType;
import java.lang.reflect.Method;
import java.lang.reflect.Type;
import java.lang.reflect.TypeVariable;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.springframework.core.ResolvableType;

/**
 * A method and the class in which its generic types are resolved, compared as a compiler would: a method that may be a
 * fallback, or the one that is protected.
 */
record FallbackCandidate(Method method, Class<?> type) {

    /** Whether a parameter has the same type as one of the protected method, or one that accepts it. */
    boolean takes(int parameter, FallbackCandidate protectedMethod, int given) {
        if (erasure(parameter) != protectedMethod.erasure(given)) {
            return false;
        }
        Type written = method.getGenericParameterTypes()[parameter];
        ResolvableType wanted = parameter(parameter);
        return written.equals(protectedMethod.method.getGenericParameterTypes()[given])
                || wanted.isAssignableFrom(protectedMethod.parameter(given))
                || saysNothing(wanted, written);
    }

    /** What the parameter is in a class that may say what a generic class above it has left open. */
    Class<?> erasure(int parameter) {
        return parameter(parameter).resolve(method.getParameterTypes()[parameter]);
    }

    private ResolvableType parameter(int index) {
        return ResolvableType.forMethodParameter(method, index, type);
    }

    ResolvableType result() {
        return SuspendingFunctions.returnType(method, type);
    }

    /** Whether the result can be returned in place of the protected method's; a stage in place of any other. */
    boolean answersFor(FallbackCandidate protectedMethod) {
        ResolvableType wanted = protectedMethod.result();
        ResolvableType returned = result();
        if (wanted.toClass() == void.class || returned.toClass() == void.class) {
            return wanted.toClass() == returned.toClass();
        }
        if (isStage(wanted) && isStage(returned)) {
            wanted = wanted.as(CompletionStage.class);
            returned = returned.as(CompletionStage.class);
        }
        return wanted.isAssignableFrom(returned)
                || isValueOf(wanted, returned)
                || (wanted.toClass().isAssignableFrom(returned.toClass())
                        && saysNothing(returned, method.getGenericReturnType()));
    }

    /** {@code String} for {@code Mono<String>}: a publisher's fallback may be a value that is there at once. */
    private static boolean isValueOf(ResolvableType wanted, ResolvableType returned) {
        return isPublisher(wanted) && wanted.getGeneric().isAssignableFrom(returned);
    }

    private static boolean isPublisher(ResolvableType type) {
        return PublisherType.of(type.toClass()) != null;
    }

    /** Whether a failure reaches the caller in what is returned, and so may be any. */
    boolean isAsynchronous() {
        return isSuspending() || isStage(result()) || isPublisher(result());
    }

    boolean isSuspending() {
        return SuspendingFunctions.is(method);
    }

    private static boolean isStage(ResolvableType type) {
        return CompletionStage.class.isAssignableFrom(type.toClass());
    }

    /** {@code List} or {@code <T> List<T>} for {@code List<String>}: the compiler lets it pass. */
    private static boolean saysNothing(ResolvableType type, Type written) {
        return type.hasUnresolvableGenerics() && !written.getTypeName().contains("?");
    }

    /** The checked exceptions that the protected method does not declare. */
    List<Class<?>> undeclaredIn(FallbackCandidate protectedMethod) {
        List<Class<?>> undeclared = new ArrayList<>(exceptions());
        undeclared.removeIf(thrown -> RuntimeException.class.isAssignableFrom(thrown)
                || Error.class.isAssignableFrom(thrown)
                || protectedMethod.exceptions().stream().anyMatch(declared -> declared.isAssignableFrom(thrown)));
        return undeclared;
    }

    /** Without a type variable of the method's own, for which a compiler would choose an unchecked exception. */
    private List<Class<?>> exceptions() {
        ResolvableType owner = ResolvableType.forClass(type).as(method.getDeclaringClass());
        List<Class<?>> exceptions = new ArrayList<>();
        for (Type thrown : method.getGenericExceptionTypes()) {
            if (!(thrown instanceof TypeVariable<?> variable
                    && variable.getGenericDeclaration().equals(method))) {
                exceptions.add(ResolvableType.forType(thrown, owner).resolve(Throwable.class));
            }
        }
        return exceptions;
    }

    /** {@code String Shop.later(String, Throwable)}. */
    @Override
    public String toString() {
        return method.getReturnType().getSimpleName() + " " + MethodNames.readable(method, type);
    }

    boolean hasSameSignatureAs(Method other) {
        return method.getName().equals(other.getName())
                && Arrays.equals(method.getParameterTypes(), other.getParameterTypes());
    }
}
