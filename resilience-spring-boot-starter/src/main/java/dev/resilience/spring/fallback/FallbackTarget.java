package dev.resilience.spring.fallback;

import dev.resilience.spring.kind.ProtectedCall;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.BridgeMethodResolver;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * The bean whose method answers: the protected one itself, behind its proxy, or another one, through its proxy. Another
 * bean is looked up when it first answers, so it may need the bean that it answers for.
 */
final class FallbackTarget {

    private final Class<?> type;
    private final @Nullable String bean;
    private final ConfigurableListableBeanFactory beans;
    private volatile @Nullable Object singleton;

    /**
     * @param bean the name of another bean, which exists; {@code null} for the protected one
     */
    FallbackTarget(Class<?> protectedType, @Nullable String bean, ConfigurableListableBeanFactory beans) {
        this.bean = bean;
        this.beans = beans;
        this.type = bean == null ? protectedType : targetType(bean, beans);
    }

    private static Class<?> targetType(String name, ConfigurableListableBeanFactory beans) {
        Class<?> target = AutoProxyUtils.determineTargetClass(beans, name);
        return ClassUtils.getUserClass(target == null ? exposedType(name, beans) : target);
    }

    private static Class<?> exposedType(String name, ConfigurableListableBeanFactory beans) {
        Class<?> exposed = beans.getType(name);
        return exposed == null ? beans.getBean(name).getClass() : exposed;
    }

    /** Its methods, each once, as it overrides them; of a lambda or another interface proxy those of the interfaces. */
    List<FallbackCandidate> methods() {
        List<FallbackCandidate> found = new ArrayList<>();
        boolean ofInterfaces = Proxy.isProxyClass(type) || ClassUtils.isLambdaClass(type);
        if (!ofInterfaces) {
            for (Method method : ReflectionUtils.getUniqueDeclaredMethods(type)) {
                add(BridgeMethodResolver.findBridgedMethod(method), type, found);
            }
        }
        for (Class<?> each : ClassUtils.getAllInterfacesForClassAsSet(type)) {
            for (Method method : each.getDeclaredMethods()) {
                int modifiers = method.getModifiers();
                if (ofInterfaces || Modifier.isPrivate(modifiers) || Modifier.isStatic(modifiers)) { // not inherited
                    add(method, ofInterfaces ? each : type, found);
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

    /** Why a method that matches cannot be called through the bean's proxy; {@code null} if it can. */
    @Nullable
    String refuses(FallbackCandidate candidate) {
        if (bean == null) {
            return null;
        }
        int modifiers = candidate.method().getModifiers();
        if (Modifier.isPrivate(modifiers)) {
            return "is private";
        }
        if (Modifier.isFinal(modifiers)
                && !Modifier.isStatic(modifiers)
                && !Modifier.isFinal(candidate.type().getModifiers())) {
            return "is final, which no proxy of the bean can pass on";
        }
        return invocable(candidate, exposedType(bean, beans)) == null
                ? "is in none of the interfaces through which its bean is proxied"
                : null;
    }

    /** The method as a proxy of the bean has it, which may know it by an interface alone; {@code null} if it has none. */
    static @Nullable Method invocable(FallbackCandidate candidate, Class<?> exposed) {
        Method method = candidate.method();
        if (Modifier.isStatic(method.getModifiers())
                || method.getDeclaringClass().isAssignableFrom(exposed)) {
            return method;
        }
        return ClassUtils.getAllInterfacesForClassAsSet(exposed).stream()
                .flatMap(known -> Arrays.stream(known.getMethods()))
                .filter(known ->
                        AopUtils.getMostSpecificMethod(known, candidate.type()).equals(method))
                .findFirst()
                .orElse(null);
    }

    /** The object that answers for a call; {@code null} for a static method of a class without one. */
    @Nullable
    Object objectFor(ProtectedCall call) {
        if (bean == null) {
            return call.target();
        }
        Object known = singleton;
        if (known == null) {
            known = beans.getBean(bean);
            if (beans.isSingleton(bean)) {
                singleton = known;
            }
        }
        return known;
    }

    /** For messages. */
    @Override
    public String toString() {
        return bean == null ? type.getName() : "the bean '" + bean + "' (" + type.getName() + ")";
    }
}
