package dev.resilience.spring.aop.method;

import dev.resilience.spring.ResilienceConfigurationException;
import java.io.Closeable;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.Arrays;
import java.util.Set;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** What a Spring proxy can and cannot intercept. */
record ProxyRules(boolean proxyTargetClass) implements InterceptionRules {

    /** Interfaces that do not make Spring choose an interface proxy. */
    private static final Set<Class<?>> CALLBACKS =
            Set.of(InitializingBean.class, DisposableBean.class, AutoCloseable.class, Closeable.class, Aware.class);

    /**
     * Whether annotations of the type hold for the method: a circuit that is open must not keep an object from being
     * printed, or stopped.
     */
    static boolean isService(Method method, Class<?> type) {
        return Modifier.isPublic(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && !ReflectionUtils.isObjectMethod(method)
                && !ContainerCallbacks.has(type, method);
    }

    @Override
    public void check(Method method, Class<?> type, ResilienceAnnotations protection) {
        if (ProtectedMethods.isMadeAtRunTime(type) || type.isInterface()) {
            return;
        }
        if (Modifier.isPrivate(method.getModifiers())) {
            throw refuse(
                    method,
                    type,
                    protection,
                    "is private",
                    "Make it public, or move the annotation to a public method. Private methods can be protected by "
                            + "'resilience.advice-mode: aspectj' alone.");
        }
        if (Modifier.isStatic(method.getModifiers())) {
            throw refuse(method, type, protection, "is static", "Make it an instance method of a bean.");
        }
        if (isProxiedByInterface(type)) {
            checkInterface(method, type, protection);
            return;
        }
        if (Modifier.isFinal(type.getModifiers())) {
            throw refuse(
                    method,
                    type,
                    protection,
                    "is in a final class",
                    "Make the class non-final (records and Kotlin classes are final; for Kotlin use the plugin kotlin-spring), "
                            + "or give it an interface and set 'spring.aop.proxy-target-class: false'.");
        }
        if (Modifier.isFinal(method.getModifiers())) {
            String cure = protection.onMethod() ? "" : ", or annotate the methods one by one in place of the type";
            throw refuse(method, type, protection, "is final", "Make it non-final" + cure + ".");
        }
    }

    private static void checkInterface(Method method, Class<?> type, ResilienceAnnotations protection) {
        boolean inInterface = ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .flatMap(candidate -> Arrays.stream(candidate.getMethods()))
                .anyMatch(declared -> ProtectedMethods.specific(declared, type).equals(method));
        if (!inInterface) {
            throw refuse(
                    method,
                    type,
                    protection,
                    "is in none of the interfaces through which its bean is proxied",
                    "Add it to an interface, or remove 'spring.aop.proxy-target-class: false'.");
        }
    }

    private boolean isProxiedByInterface(Class<?> type) {
        MergedAnnotation<Proxyable> choice =
                MergedAnnotations.from(type, SearchStrategy.TYPE_HIERARCHY).get(Proxyable.class);
        ProxyType chosen =
                choice.getValue(MergedAnnotation.VALUE, ProxyType.class).orElse(ProxyType.DEFAULT);
        boolean byInterface = chosen == ProxyType.DEFAULT ? !proxyTargetClass : chosen == ProxyType.INTERFACES;
        return byInterface
                && ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                        .anyMatch(candidate -> !isCallback(candidate) && candidate.getMethods().length > 0);
    }

    private static boolean isCallback(Class<?> candidate) {
        return CALLBACKS.contains(candidate)
                || Arrays.asList(candidate.getInterfaces()).contains(Aware.class);
    }

    private static ResilienceConfigurationException refuse(
            Method method, Class<?> type, ResilienceAnnotations protection, String why, String cure) {
        return InterceptionRules.refuse(
                method, type, protection, why + ": a proxy cannot intercept it, so nothing would protect it", cure);
    }
}
