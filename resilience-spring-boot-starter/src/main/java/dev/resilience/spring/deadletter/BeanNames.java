package dev.resilience.spring.deadletter;

import dev.resilience.spring.kind.MethodNames;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.BeansException;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.util.ClassUtils;

/** The names of the beans of one type: a letter is sent to the very bean that was called. */
final class BeanNames {

    /** Scopes of which all calls of an application have the same object. */
    private static final Set<String> SHARED =
            Set.of("", ConfigurableBeanFactory.SCOPE_SINGLETON, "application", "refresh");

    private final Class<?> type;
    private final ConfigurableListableBeanFactory beans;
    private volatile Set<String> names; // so far: the class of a bean may show only when it is made

    BeanNames(Class<?> type, ConfigurableListableBeanFactory beans) {
        this.type = type;
        this.beans = beans;
        this.names = find();
    }

    /**
     * The name of the bean that an object is, or that it stands behind; the only one of the type may be hidden by the proxy of
     * another library.
     *
     * @throws IllegalStateException if nothing tells which one it is
     */
    String of(@Nullable Object target) {
        String known = search(target);
        if (known != null) {
            return known;
        }
        names = find();
        String found = names.size() == 1 ? names.iterator().next() : search(target);
        if (found == null) {
            throw new IllegalStateException("nothing tells which bean of the type " + MethodNames.simple(type)
                    + " was called: there are " + names);
        }
        return found;
    }

    private @Nullable String search(@Nullable Object target) {
        for (String name : names) {
            for (Object each = object(name); each != null; each = AopProxyUtils.getSingletonTarget(each)) {
                if (each == target) {
                    return name;
                }
            }
        }
        return null;
    }

    /** The bean, or the object that its scope has now; {@code null} if there is none yet. */
    private @Nullable Object object(String name) {
        try {
            String definition = definition(name);
            boolean isThere = beans.containsSingleton(definition) || !beans.isSingleton(definition);
            return isThere ? beans.getBean(definition) : null;
        } catch (BeansException broken) { // another bean than the one that was called
            return null;
        }
    }

    /** Whether there is a bean of a name and of the type. */
    boolean have(String name) {
        if (!names.contains(name) && beans.containsBean(name)) {
            names = find();
        }
        return names.contains(name);
    }

    /** The bean of a name. */
    Object get(String name) {
        return beans.getBean(name);
    }

    /** Which bean of the type is another object for each call or caller, in words; {@code null} if none is. */
    @Nullable
    String whyNotTheSame() {
        for (String name : names) {
            if (!SHARED.contains(scope(name))) {
                return "the bean '" + name + "' has the scope '" + scope(name) + "'";
            }
        }
        return null;
    }

    private String scope(String name) {
        String definition = definition(name);
        String scope = beans.containsBeanDefinition(definition)
                ? beans.getMergedBeanDefinition(definition).getScope()
                : null;
        return scope == null ? "" : scope;
    }

    /** The name of what a scoped proxy stands for; the bean's own name if it is none. */
    private String definition(String name) {
        String target = ScopedProxyUtils.getTargetBeanName(name);
        return beans.containsBeanDefinition(target) ? target : name;
    }

    /** A client made at run time has no class of its own. */
    private Set<String> find() {
        Set<String> found = new LinkedHashSet<>();
        for (String name : beans.getBeanNamesForType(Object.class, true, false)) {
            if (isOfType(name)) {
                found.add(ScopedProxyUtils.isScopedTarget(name) ? ScopedProxyUtils.getOriginalBeanName(name) : name);
            }
        }
        return found.isEmpty() ? Set.of(beans.getBeanNamesForType(type, true, false)) : found;
    }

    /** A proxy is no instance of the class behind it if it has the interfaces alone; then the definition tells. */
    private boolean isOfType(String name) {
        Class<?> found = AutoProxyUtils.determineTargetClass(beans, name);
        return (found != null && ClassUtils.getUserClass(found) == type)
                || (beans.containsBeanDefinition(name)
                        && beans.getMergedBeanDefinition(name) instanceof RootBeanDefinition made
                        && made.getTargetType() == type);
    }
}
