package dev.resilience.spring.deadletter;

import dev.resilience.spring.kind.MethodNames;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
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
    private volatile @Nullable List<String> names; // so far: the class of a bean may show only when it is made

    BeanNames(Class<?> type, ConfigurableListableBeanFactory beans) {
        this.type = type;
        this.beans = beans;
    }

    /**
     * The name of the bean that an object is, or that it stands behind.
     *
     * @throws IllegalStateException if it is none, or if nothing tells which one
     */
    String of(@Nullable Object target) {
        return known().stream()
                .filter(name -> isBehind(object(name), target))
                .findFirst()
                .orElseGet(() -> theOnlyPossible(target));
    }

    private String theOnlyPossible(@Nullable Object target) {
        List<String> all = findAgain();
        List<String> possible =
                all.stream().filter(name -> !isAnother(name, target)).toList();
        return possible.stream()
                .filter(name -> possible.size() == 1 || isBehind(object(name), target))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nothing tells which bean of the type "
                        + MethodNames.simple(type) + " was called: there are " + all));
    }

    /** Whether there is a bean of a name and of the type. */
    boolean have(String name) {
        return known().contains(name)
                || (beans.containsBean(name) && findAgain().contains(name));
    }

    private List<String> known() {
        List<String> known = names;
        return known == null ? findAgain() : known;
    }

    private List<String> findAgain() {
        List<String> found = find();
        names = found;
        return found;
    }

    /** The bean of a name. */
    Object get(String name) {
        return beans.getBean(name);
    }

    /** Which bean of the type is another object for each call or caller, in words; {@code null} if none is. */
    @Nullable
    String whyNotTheSame() {
        return known().stream()
                .filter(name -> !SHARED.contains(scope(name)))
                .findFirst()
                .map(name -> "the bean '" + name + "' has the scope '" + scope(name) + "'")
                .orElse(null);
    }

    private String scope(String name) {
        String scoped = scopedName(name);
        String scope = beans.containsBeanDefinition(scoped)
                ? beans.getMergedBeanDefinition(scoped).getScope()
                : null;
        return scope == null ? "" : scope;
    }

    /** The name of what a scoped proxy stands for; the bean's own name if it is none. */
    private String scopedName(String name) {
        String target = ScopedProxyUtils.getTargetBeanName(name);
        return beans.containsBeanDefinition(target) ? target : name;
    }

    /** Whether a scope may replace the bean's object. */
    private boolean isScoped(String name) {
        String scope = scope(name);
        return !scope.isEmpty() && !scope.equals(ConfigurableBeanFactory.SCOPE_SINGLETON);
    }

    /** The bean, or the object that its scope has now; {@code null} if there is none yet. */
    private @Nullable Object object(String name) {
        try {
            return isScoped(name) || beans.containsSingleton(name) ? beans.getBean(scopedName(name)) : null;
        } catch (BeansException broken) { // another bean than the one that was called
            return null;
        }
    }

    /**
     * Whether an object is certainly not a bean. That is so if the bean shows itself and is another object. A bean that the
     * proxy of another library hides may be the object, so may one that is being made or destroyed, and an object that a scope
     * has replaced was the bean when it was called.
     */
    private boolean isAnother(String name, @Nullable Object target) {
        if (target == null || isScoped(name) || !beans.isSingleton(name)) {
            return false;
        }
        Object bean = object(name);
        Object innermost = innermost(bean);
        boolean isShown =
                innermost != null && !AopUtils.isAopProxy(innermost) && ClassUtils.getUserClass(innermost) == type;
        return isShown && !isBehind(bean, target);
    }

    private static @Nullable Object innermost(@Nullable Object bean) {
        Object innermost = bean;
        for (Object each = bean; each != null; each = AopProxyUtils.getSingletonTarget(each)) {
            innermost = each;
        }
        return innermost;
    }

    @SuppressWarnings("ReferenceEquality") // the very bean
    private static boolean isBehind(@Nullable Object bean, @Nullable Object target) {
        for (Object each = bean; each != null; each = AopProxyUtils.getSingletonTarget(each)) {
            if (each == target) {
                return true;
            }
        }
        return false;
    }

    /** A client made at run time has no class of its own. */
    private List<String> find() {
        List<String> exact = all().filter(this::isOfType).toList();
        return exact.isEmpty()
                ? all().filter(name -> beans.isTypeMatch(name, type)).toList()
                : exact;
    }

    /** A proxy is no instance of the class behind it if it has the interfaces alone; then the definition tells. */
    private boolean isOfType(String name) {
        String scoped = scopedName(name);
        Class<?> found = AutoProxyUtils.determineTargetClass(beans, scoped);
        return (found != null && ClassUtils.getUserClass(found) == type)
                || (beans.containsBeanDefinition(scoped)
                        && beans.getMergedBeanDefinition(scoped) instanceof RootBeanDefinition made
                        && made.getTargetType() == type);
    }

    private Stream<String> all() {
        return Stream.of(beans.getBeanNamesForType(Object.class, true, false))
                .filter(name -> !ScopedProxyUtils.isScopedTarget(name));
    }
}
