package dev.resilience.spring.aop.check;

import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.asm.Type;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of protected methods that their own object calls: such a call does not pass the proxy, and nothing of what the
 * annotations say happens. Calls on another reference to the bean, such as an injected one, are not meant.
 */
record SelfCallCheck(ApplicationClasses application, StartupWarnings warnings) {

    void check(Class<?> type, Map<Method, ResilienceAnnotations> methods) {
        if (ProtectedMethods.isMadeAtRunTime(type)) {
            return;
        }
        Set<Class<?>> classes = application.hierarchy(type);
        Map<String, Method> bySignature = bySignature(classes, type, methods);
        Map<Method, Set<String>> callers = new HashMap<>();
        for (Class<?> at : classes) {
            List<CallsThroughThis.Call> calls = CallsThroughThis.in(at);
            for (CallsThroughThis.Call call : calls) {
                Method called = called(call, bySignature);
                if (called != null && !new Callers(at, calls, bySignature, methods).cover(call, called)) {
                    callers.computeIfAbsent(called, key -> new TreeSet<>()).add(callerName(call, at));
                }
            }
        }
        callers.forEach((called, names) -> warn(called, type, Objects.requireNonNull(methods.get(called)), names));
    }

    private void warn(Method called, Class<?> type, ResilienceAnnotations protection, Set<String> callers) {
        String simpleName = type.getSimpleName();
        warnings.add("The method " + MethodNames.full(called, type) + " is called through 'this' by "
                + String.join(", ", callers) + ", which skips its " + protection
                + ": only calls from outside pass the proxy. Move it to another bean, or give the bean itself ('@Lazy "
                + simpleName + " self' or 'ObjectProvider<" + simpleName + ">') and call self." + called.getName()
                + "(…)");
    }

    /** {@code pay()}, or {@code pay(String)} where there are several methods of that name. */
    private static String callerName(CallsThroughThis.Call call, Class<?> in) {
        String name = call.callerName();
        long overloads = Arrays.stream(ReflectionUtils.getUniqueDeclaredMethods(in))
                .filter(method -> !method.isSynthetic() && method.getName().equals(name))
                .count();
        String descriptor = call.callerDescriptor();
        return overloads < 2 || descriptor == null
                ? call.caller()
                : Arrays.stream(Type.getArgumentTypes(descriptor))
                        .map(type -> ClassUtils.getShortName(type.getClassName()))
                        .collect(Collectors.joining(", ", name + "(", ")"));
    }

    /** The protected methods by what calls of them look like in class files, bridges and inherited names included. */
    private static Map<String, Method> bySignature(
            Set<Class<?>> classes, Class<?> type, Map<Method, ResilienceAnnotations> methods) {
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

    /**
     * The calls that a class makes.
     *
     * @param bySignature the protected methods
     * @param methods how they are protected
     */
    private record Callers(
            Class<?> in,
            List<CallsThroughThis.Call> calls,
            Map<String, Method> bySignature,
            Map<Method, ResilienceAnnotations> methods) {

        /** Whether the caller is the method itself or its proxy does all that the called one's would. */
        boolean cover(CallsThroughThis.Call call, Method called) {
            return cover(call, called, new HashSet<>());
        }

        private boolean cover(CallsThroughThis.Call call, Method called, Set<String> helpers) {
            if (call.callerDescriptor() == null) {
                return false;
            }
            String signature = call.callerName() + call.callerDescriptor();
            Method caller = bySignature.get(signature);
            if (caller != null && caller.getDeclaringClass().equals(in)) {
                return caller.equals(called)
                        || parts(called).allMatch(part -> parts(caller).anyMatch(part::equals));
            }
            if (!helpers.add(signature)) {
                return true; // calls itself: those that call it first decide
            }
            List<CallsThroughThis.Call> ofHelper = calls.stream()
                    .filter(one -> signature.equals(one.name() + one.descriptor()))
                    .toList();
            return isPrivate(signature)
                    && !ofHelper.isEmpty()
                    && ofHelper.stream().allMatch(one -> cover(one, called, helpers));
        }

        /** Only what stands in the class can call it. */
        private boolean isPrivate(String signature) {
            return Arrays.stream(ReflectionUtils.getDeclaredMethods(in))
                    .filter(method -> Modifier.isPrivate(method.getModifiers()))
                    .anyMatch(method -> signature.equals(method.getName() + Type.getMethodDescriptor(method)));
        }

        private Stream<Object> parts(Method method) {
            ResilienceAnnotations protection = Objects.requireNonNull(methods.get(method));
            return protection.annotations().stream().map(annotation -> annotation);
        }
    }
}
