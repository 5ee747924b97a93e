package dev.resilience.spring.aop.method;

import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;

/**
 * Methods that Spring's container calls, and no caller of the service. An annotation of the type does not hold for them:
 * an open circuit breaker must not keep a bean from being stopped.
 */
final class ContainerCallbacks {

    private static final List<Class<?>> INTERFACES = List.of(
            InitializingBean.class,
            DisposableBean.class,
            FactoryBean.class,
            ApplicationListener.class,
            Lifecycle.class);

    private ContainerCallbacks() {}

    /** Whether a method of a type implements a method of a callback interface, or of one that extends it. */
    static boolean has(Class<?> type, Method method) {
        Set<Class<?>> interfaces = new HashSet<>();
        for (Class<?> at = type; at != null; at = at.getSuperclass()) {
            collect(at, interfaces);
        }
        return interfaces.stream()
                .filter(ContainerCallbacks::isCallback)
                .flatMap(callback -> Arrays.stream(callback.getMethods()))
                .anyMatch(declared -> ProtectedMethods.specific(declared, type).equals(method));
    }

    /** An application's own interface that extends one of Spring's has methods that are no callbacks; an aware one has none. */
    private static boolean isCallback(Class<?> type) {
        boolean isOfSpring = type.getName().startsWith("org.springframework.");
        return Aware.class.isAssignableFrom(type)
                || (isOfSpring && INTERFACES.stream().anyMatch(callback -> callback.isAssignableFrom(type)));
    }

    /** With those that an interface extends, which {@link Class#getInterfaces} leaves out. */
    private static void collect(Class<?> type, Set<Class<?>> interfaces) {
        for (Class<?> implemented : type.getInterfaces()) {
            if (interfaces.add(implemented)) {
                collect(implemented, interfaces);
            }
        }
    }
}
