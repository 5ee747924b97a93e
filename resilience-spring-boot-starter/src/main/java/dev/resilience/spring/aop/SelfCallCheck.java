package dev.resilience.spring.aop;

import dev.resilience.spring.StartupWarnings;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of protected methods that their own object calls: such a call does not pass the proxy, and nothing of what the
 * annotations say happens. Calls on another reference to the bean, such as an injected one, are not meant.
 */
final class SelfCallCheck {

    private final StartupWarnings warnings;

    SelfCallCheck(StartupWarnings warnings) {
        this.warnings = warnings;
    }

    void check(Class<?> type, Map<Method, Protection> methods) {
        if (ProtectedMethods.isMadeAtRunTime(type)) {
            return;
        }
        Set<Class<?>> classes = hierarchy(type);
        Map<String, Method> bySignature = bySignature(classes, type, methods);
        Map<Method, Set<String>> callers = new HashMap<>();
        for (Class<?> at : classes) {
            for (CallsThroughThis.Call call : CallsThroughThis.in(at)) {
                Method called = called(call, bySignature);
                if (called != null && !isCovered(call, called, at, bySignature, methods)) {
                    callers.computeIfAbsent(called, key -> new TreeSet<>()).add(call.caller());
                }
            }
        }
        callers.forEach((called, names) -> warn(called, type, Objects.requireNonNull(methods.get(called)), names));
    }

    private void warn(Method called, Class<?> type, Protection protection, Set<String> callers) {
        String simpleName = type.getSimpleName();
        warnings.add("The method " + MethodNames.full(called, type) + " is called through 'this' by "
                + String.join(", ", callers) + ", which skips its " + protection
                + ": only calls from outside pass the proxy. Move it to another bean, or give the bean itself ('@Lazy "
                + simpleName + " self' or 'ObjectProvider<" + simpleName + ">') and call self." + called.getName()
                + "(…)");
    }

    /** The class and everything of the application that it inherits code from. */
    private static Set<Class<?>> hierarchy(Class<?> type) {
        Set<Class<?>> classes = new HashSet<>(ClassUtils.getAllInterfacesForClassAsSet(type));
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            classes.add(at);
        }
        classes.removeIf(at -> !OtherLibraries.isOfApplication(at));
        return classes;
    }

    /** The protected methods by what calls of them look like in class files, bridges and inherited names included. */
    private static Map<String, Method> bySignature(
            Set<Class<?>> classes, Class<?> type, Map<Method, Protection> methods) {
        Map<String, Method> found = new TreeMap<>();
        for (Class<?> at : classes) {
            for (Method method : ReflectionUtils.getDeclaredMethods(at)) {
                Method specific = ProtectedMethods.specific(method, type);
                if (methods.containsKey(specific)) {
                    found.put(method.getName() + Type.getMethodDescriptor(method), specific);
                }
            }
        }
        return found;
    }

    private static @Nullable Method called(CallsThroughThis.Call call, Map<String, Method> bySignature) {
        Method called = bySignature.get(call.name() + call.descriptor());
        // super.method() runs what the superclass has, which is the protected method only where none overrides it
        boolean another = called != null && call.onSuper() && isOverridden(called, call.owner());
        return another ? null : called;
    }

    private static boolean isOverridden(Method called, String superclass) {
        for (Class<?> at = called.getDeclaringClass().getSuperclass(); at != null; at = at.getSuperclass()) {
            if (Type.getInternalName(at).equals(superclass)) {
                return true;
            }
        }
        return false;
    }

    /** Whether the caller is the method itself or its proxy does all that the called one's would. */
    private static boolean isCovered(
            CallsThroughThis.Call call,
            Method called,
            Class<?> in,
            Map<String, Method> bySignature,
            Map<Method, Protection> methods) {
        String descriptor = call.callerDescriptor();
        if (descriptor == null) {
            return false;
        }
        String name = call.caller().replace("()", "");
        Method caller = bySignature.get(name + descriptor);
        if (caller == null || !caller.getDeclaringClass().equals(in)) {
            return false;
        }
        return caller.equals(called)
                || parts(Objects.requireNonNull(methods.get(called)))
                        .allMatch(part -> parts(Objects.requireNonNull(methods.get(caller)))
                                .anyMatch(part::equals));
    }

    private static Stream<Object> parts(Protection protection) {
        return Arrays.stream(new @Nullable Object[] {
                    protection.fallback(),
                    protection.idempotent(),
                    protection.bulkhead(),
                    protection.circuitBreaker(),
                    protection.retryable(),
                    protection.timeLimit()
                })
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull);
    }
}
