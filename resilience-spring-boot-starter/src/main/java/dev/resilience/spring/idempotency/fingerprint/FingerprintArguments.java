package dev.resilience.spring.idempotency.fingerprint;

import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.SuspendingFunctions;
import java.lang.reflect.Method;
import java.security.Principal;
import java.util.BitSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.util.ClassUtils;
import org.springframework.web.util.UriComponentsBuilder;

/**
 * Which arguments of a method tell one call from another. Who calls does not: that is the scope's business. Nor does the
 * address of the request.
 */
public final class FingerprintArguments {

    private static final boolean HTTP = ClassUtils.isPresent(
            "org.springframework.http.ResponseEntity", FingerprintArguments.class.getClassLoader());

    private static final List<String> CALLERS = List.of(
            "org.springframework.security.core.annotation.AuthenticationPrincipal",
            "org.springframework.security.core.annotation.CurrentSecurityContext");

    private final List<ResolvableType> types;
    private final BitSet compared = new BitSet();

    /**
     * @param type the class of the bean, which may know more of the method's types
     */
    public FingerprintArguments(Method method, Class<?> type) {
        types = IntStream.range(0, SuspendingFunctions.parameterCount(method))
                .mapToObj(i -> ResolvableType.forMethodParameter(method, i, type))
                .toList();
        for (int i = 0; i < types.size(); i++) {
            compared.set(i, isCompared(method, i));
        }
    }

    private boolean isCompared(Method method, int i) {
        Class<?> type = types.get(i).toClass();
        MergedAnnotations annotations = MergedAnnotations.from(method.getParameters()[i]);
        return !Principal.class.isAssignableFrom(type)
                && CALLERS.stream().noneMatch(annotations::isPresent)
                && !(HTTP && UriComponentsBuilder.class.isAssignableFrom(type));
    }

    public BitSet indexes() {
        return compared;
    }

    /**
     * Checks what is compared.
     *
     * @param name the method's full name, for messages
     */
    public void check(String name) {
        ResilienceConfigurationException.throwAll(
                compared.stream().mapToObj(i -> (Runnable) () -> check(i, name)).toArray(Runnable[]::new));
    }

    private void check(int i, String name) {
        String why = whyNot(types.get(i));
        if (why != null) {
            throw new ResilienceConfigurationException(
                    "Argument " + i + " of the @Idempotent method " + name + " cannot be compared with that of another "
                            + "call with the same key: " + why,
                    "Move it out of the method; if it is a tool and no part of the value, make its field transient; or "
                            + "choose a policy with 'fingerprint: false'.");
        }
    }

    private static @Nullable String whyNot(ResolvableType type) {
        return HTTP && changes(type.toClass())
                ? type.toClass().getName() + " has headers, which are others when a request is repeated"
                : ArgumentTypes.of(type).whyNotComparable();
    }

    private static boolean changes(Class<?> type) {
        return HttpHeaders.class.isAssignableFrom(type) || HttpEntity.class.isAssignableFrom(type);
    }
}
