package dev.resilience.spring.fallback;

import dev.resilience.spring.kind.ProtectedCall;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/**
 * Another bean. It is asked for when it first answers, so it may need the bean that it answers for, and it is called
 * through its proxy.
 */
final class NamedBean implements FallbackOwner {

    private final String name;
    private final ConfigurableListableBeanFactory beans;
    private volatile @Nullable Object singleton;

    /**
     * @param name of a bean that exists
     */
    NamedBean(String name, ConfigurableListableBeanFactory beans) {
        this.name = name;
        this.beans = beans;
    }

    /** Those that can be called on its proxy: of an interface proxy the interfaces' methods. */
    @Override
    public List<FallbackCandidate> methods() {
        Class<?> exposed = exposedType();
        if (!Proxy.isProxyClass(exposed) && !ClassUtils.isLambdaClass(exposed)) {
            return OwnBean.methodsOf(targetType());
        }
        Class<?> target = targetType();
        List<FallbackCandidate> methods = new ArrayList<>();
        for (Class<?> each : exposed.getInterfaces()) {
            Class<?> implementing = each.isAssignableFrom(target) ? target : each;
            for (Method method : each.getMethods()) {
                methods.add(new FallbackCandidate(method, implementing));
            }
        }
        return methods;
    }

    private Class<?> exposedType() {
        Class<?> type = beans.getType(name);
        return type == null ? beans.getBean(name).getClass() : type;
    }

    private Class<?> targetType() {
        Class<?> target = AutoProxyUtils.determineTargetClass(beans, name);
        return ClassUtils.getUserClass(target == null ? exposedType() : target);
    }

    /** A proxy would run a private or final method on itself, without the bean behind it. */
    @Override
    public @Nullable String refuses(FallbackCandidate candidate, FallbackCandidate protectedMethod) {
        Method method = candidate.method();
        if (Modifier.isPrivate(method.getModifiers())) {
            return "is private";
        }
        if (Modifier.isFinal(method.getModifiers())
                && !Modifier.isStatic(method.getModifiers())
                && !Modifier.isFinal(candidate.type().getModifiers())) {
            return "is final, which no proxy of the bean can pass on";
        }
        return candidate.isVisibleFrom(protectedMethod.type())
                ? null
                : "is not visible from " + protectedMethod.type().getName();
    }

    @Override
    public Object objectFor(ProtectedCall call) {
        Object known = singleton;
        if (known != null) {
            return known;
        }
        Object bean = beans.getBean(name);
        if (beans.isSingleton(name)) {
            singleton = bean;
        }
        return bean;
    }

    @Override
    public String toString() {
        return "the bean '" + name + "' (" + targetType().getName() + ")";
    }
}
