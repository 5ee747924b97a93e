package dev.resilience.spring.aop;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.SuspendingFunctions;
import dev.resilience.spring.weaving.ResilienceAspect;
import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.aspectj.lang.JoinPoint;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.Aware;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.ApplicationListener;
import org.springframework.context.Lifecycle;
import org.springframework.context.annotation.ProxyType;
import org.springframework.context.annotation.Proxyable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/** What a Spring proxy can and cannot intercept. */
public record ProxyRules(boolean proxyTargetClass) {

    /** Interfaces that do not make Spring choose an interface proxy. */
    private static final Set<Class<?>> CALLBACKS =
            Set.of(InitializingBean.class, DisposableBean.class, AutoCloseable.class, Closeable.class, Aware.class);

    /**
     * Whether annotations of the type hold for the method: a circuit that is open must not keep an object from being
     * printed, or stopped.
     */
    static boolean isService(Method method, Class<?> type) {
        return !Modifier.isPrivate(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && ReflectionUtils.findMethod(Object.class, method.getName(), method.getParameterTypes()) == null
                && !ContainerCallbacks.has(type, method);
    }

    /** Whether calls of the method reach its proxy, or would if it were not final: a public one that is final is refused. */
    boolean isReached(Method method, Class<?> type) {
        int modifiers = method.getModifiers();
        return ProtectedMethods.isMadeAtRunTime(type)
                || type.isInterface()
                || (isProxiedByInterface(type)
                        ? isInInterface(method, type)
                        : Modifier.isPublic(modifiers)
                                || (!Modifier.isFinal(modifiers) && isOverridable(method, type)));
    }

    private static boolean isOverridable(Method method, Class<?> type) {
        return (method.getModifiers() & (Modifier.PUBLIC | Modifier.PROTECTED)) != 0
                || method.getDeclaringClass().getPackageName().equals(type.getPackageName());
    }

    /** Why a proxy cannot intercept an annotated method, and the cure; {@code null} if it can. */
    @Nullable
    Refusal refusal(Method method, Class<?> type, ResilienceAnnotations protection) {
        if (ProtectedMethods.isMadeAtRunTime(type) || type.isInterface()) {
            return null;
        }
        if (Modifier.isPrivate(method.getModifiers())) {
            return refusal(
                    "is private",
                    "Make it public, or move the annotation to a public method. Private methods can be protected by "
                            + "'resilience.advice-mode: aspectj' alone.");
        }
        if (Modifier.isStatic(method.getModifiers())) {
            return refusal("is static", "Make it an instance method of a bean.");
        }
        if (isProxiedByInterface(type)) {
            return isInInterface(method, type)
                    ? null
                    : refusal(
                            "is in none of the interfaces through which its bean is proxied",
                            "Add it to an interface, or remove 'spring.aop.proxy-target-class: false'.");
        }
        if (Modifier.isFinal(type.getModifiers())) {
            return refusal(
                    "is in a final class",
                    "Make the class non-final (records and Kotlin classes are final; for Kotlin use the plugin kotlin-spring), "
                            + "or give it an interface and set 'spring.aop.proxy-target-class: false'.");
        }
        if (!isOverridable(method, type)) {
            return refusal(
                    "is package-private in another package than " + type.getName(), "Make it protected or public.");
        }
        String others = protection.onMethod() ? "" : ", or annotate the methods one by one in place of the type";
        return Modifier.isFinal(method.getModifiers()) ? refusal("is final", "Make it non-final" + others + ".") : null;
    }

    private static boolean isInInterface(Method method, Class<?> type) {
        return ClassUtils.getAllInterfacesForClassAsSet(type).stream()
                .flatMap(candidate -> Arrays.stream(candidate.getMethods()))
                .anyMatch(declared -> ProtectedMethods.specific(declared, type).equals(method));
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

    private static Refusal refusal(String why, String cure) {
        return new Refusal(why + ": a proxy cannot intercept it, so nothing would protect it", cure);
    }

    /** Why a method is not intercepted: its annotation would silently protect nothing. */
    record Refusal(String why, String cure) {

        ResilienceConfigurationException of(Method method, Class<?> type, ResilienceAnnotations protection) {
            return new ResilienceConfigurationException(
                    "The method " + MethodNames.full(method, type) + " is annotated with " + protection + " but " + why,
                    protection.bound().isEmpty() ? cure : cure + protection.cure());
        }
    }

    /**
     * Methods that Spring's container calls, and no caller of the service. An annotation of the type does not hold for them:
     * an open circuit breaker must not keep a bean from being stopped.
     */
    private static final class ContainerCallbacks {

        private static final List<Class<?>> INTERFACES = List.of(
                InitializingBean.class,
                DisposableBean.class,
                FactoryBean.class,
                ApplicationListener.class,
                Lifecycle.class);

        /** Whether a method of a type implements a method of a callback interface, or of one that extends it. */
        static boolean has(Class<?> type, Method method) {
            Set<Class<?>> interfaces = new HashSet<>();
            for (Class<?> at = type; at != null; at = at.getSuperclass()) {
                collect(at, interfaces);
            }
            return interfaces.stream()
                    .filter(ContainerCallbacks::isCallback)
                    .flatMap(callback -> Arrays.stream(callback.getMethods()))
                    .anyMatch(declared ->
                            ProtectedMethods.specific(declared, type).equals(method));
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

    /**
     * For classes that AspectJ has woven. Which methods it has, is seen by the methods that it adds for their bodies. It adds them
     * for every aspect, and an aspect of others protects nothing: ours is in those that its pointcut is for, unless the class file
     * shows that they were woven at build time, without ours.
     */
    static final class WovenRules {

        private WovenRules() {}

        private static final String NAME_OF_BODIES = "_aroundBody";

        /** Why the advice is not woven into an annotated method, and the cure; {@code null} if it is. */
        static @Nullable Refusal refusal(Method method, Class<?> type, ResilienceAnnotations protection) {
            if (type.isInterface()) {
                return null; // what implements it is looked at too
            }
            if (Modifier.isStatic(method.getModifiers())) {
                return new Refusal("is static: nothing would protect it", "Make it an instance method.");
            }
            if (SuspendingFunctions.is(method)) {
                return new Refusal(
                        "is a suspending function, which is protected by proxies alone, and 'resilience.advice-mode' is "
                                + "'aspectj': its every resumption would be a call",
                        "Move the function to an application or a service with 'resilience.advice-mode: proxy', or protect a "
                                + "function that does not suspend.");
            }
            if (protection.has(Idempotent.class)) {
                return new Refusal(
                        "'resilience.advice-mode' is 'aspectj': the advice would stand inside the method's transaction, "
                                + "and results would be kept whose effect is rolled back",
                        "Move the method to an application or a service with 'resilience.advice-mode: proxy'.");
            }
            if (!ResilienceAspect.isFor(method) || !isWoven(method) || isWovenByOthers(method)) {
                return new Refusal(
                        "AspectJ has not woven this library's advice into it, and 'resilience.advice-mode' is 'aspectj': "
                                + "nothing would protect it",
                        "Start the JVM with -javaagent:aspectjweaver.jar, see the docs on AspectJ; annotate the class's own "
                                + "method rather than an interface's, and with the library's annotations rather than with "
                                + "one of yours that has them. Or remove 'resilience.advice-mode', and proxies protect it.");
            }
            return null;
        }

        /** The body of a woven method is a static one that takes the object, the arguments and what AspectJ needs. */
        private static boolean isWoven(Method method) {
            List<Class<?>> parameters = List.of(method.getParameterTypes());
            return Arrays.stream(method.getDeclaringClass().getDeclaredMethods())
                    .filter(body -> body.getName().startsWith(method.getName() + NAME_OF_BODIES))
                    .map(body -> List.of(body.getParameterTypes()))
                    .anyMatch(ofBody -> ofBody.size() > parameters.size() + 1
                            && ofBody.subList(1, parameters.size() + 1).equals(parameters)
                            && ofBody.get(parameters.size() + 1)
                                    == JoinPoint.class); // otherwise the body of an overload
        }

        /** At build time, and with no body that has come since. */
        private static boolean isWovenByOthers(Method method) {
            Class<?> type = method.getDeclaringClass();
            String file = classFile(type);
            return !file.contains(ResilienceAspect.class.getName().replace('.', '/'))
                    && Arrays.stream(type.getDeclaredMethods())
                            .map(Method::getName)
                            .filter(name -> name.startsWith(method.getName() + NAME_OF_BODIES))
                            .allMatch(file::contains);
        }

        /** As text, in which names can be found; empty if there is none. */
        private static String classFile(Class<?> type) {
            try (InputStream file = type.getResourceAsStream(ClassUtils.getClassFileName(type))) {
                return file == null ? "" : new String(file.readAllBytes(), StandardCharsets.ISO_8859_1);
            } catch (IOException unreadable) {
                return "";
            }
        }
    }
}
