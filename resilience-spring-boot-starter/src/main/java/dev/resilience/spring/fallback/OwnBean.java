package dev.resilience.spring.fallback;

import dev.resilience.spring.kind.ProtectedCall;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** The bean of the protected method, behind its proxy: as if the method itself called its fallback. */
record OwnBean(Class<?> type) implements FallbackOwner {

    @Override
    public List<FallbackCandidate> methods() {
        return methodsOf(type);
    }

    /** The methods of a class or interface. Those of interfaces that nothing inherits come last. */
    static List<FallbackCandidate> methodsOf(Class<?> type) {
        List<FallbackCandidate> found = new ArrayList<>();
        for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
            add(BridgeMethodResolver.findBridgedMethod(method), type, found);
        }
        for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            for (Method method : each.getDeclaredMethods()) {
                if (Modifier.isPrivate(method.getModifiers()) || Modifier.isStatic(method.getModifiers())) {
                    add(method, type, found);
                }
            }
        }
        found.sort(Comparator.comparing(FallbackCandidate::toString)); // for messages that stay the same
        return found;
    }

    private static void add(Method method, Class<?> type, List<FallbackCandidate> found) {
        if (method.getDeclaringClass() != Object.class
                && !method.isSynthetic()
                && found.stream().noneMatch(other -> other.hasSameSignatureAs(method))) {
            found.add(new FallbackCandidate(method, type));
        }
    }

    @Override
    public @Nullable String refuses(FallbackCandidate candidate, FallbackCandidate protectedMethod) {
        return candidate.isVisibleFrom(type)
                        || candidate.isVisibleFrom(protectedMethod.method().getDeclaringClass())
                ? null
                : "is not visible from " + type.getName();
    }

    @Override
    public @Nullable Object objectFor(ProtectedCall call) {
        return call.target();
    }

    @Override
    public String toString() {
        return type.getName();
    }
}
