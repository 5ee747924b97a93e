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
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** The names of the beans of one type: a letter is sent to the very bean that was called. */
final class BeanNames {

    /** Scopes of which all calls of an application have the same object. */
    private static final Set<String> SHARED =
            Set.of("", ConfigurableBeanFactory.SCOPE_SINGLETON, "application", "refresh");

    private final Class<?> type;
    private final ConfigurableListableBeanFactory beans;
    private final SingletonSupplier<List<String>> names = SingletonSupplier.of(this::find);

    BeanNames(Class<?> type, ConfigurableListableBeanFactory beans) {
        this.type = type;
        this.beans = beans;
    }

    /**
     * The name of the bean behind whose proxy an object is.
     *
     * @throws IllegalStateException if it is none with a name of its own
     */
    String of(@Nullable Object target) {
        List<String> known = names.obtain();
        if (known.size() == 1 && !isAnother(known.get(0), target)) {
            return known.get(0);
        }
        return known.stream()
                .filter(name ->
                        target != null && beans.containsSingleton(name) && isBehind(beans.getBean(name), target))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nothing tells which bean of the type "
                        + MethodNames.simple(type) + " was called: there are " + known));
    }

    /** Whether there is a bean of a name and of the type. */
    boolean have(String name) {
        return names.obtain().contains(name);
    }

    /** The bean of a name. */
    Object get(String name) {
        return beans.getBean(name);
    }

    /** Which bean of the type is another object for each call or caller, in words; {@code null} if none is. */
    @Nullable
    String whyNotTheSame() {
        return names.obtain().stream()
                .filter(name -> !SHARED.contains(scope(name)))
                .findFirst()
                .map(name -> "the bean '" + name + "' has the scope '" + scope(name) + "'")
                .orElse(null);
    }

    private String scope(String name) {
        String target = ScopedProxyUtils.getTargetBeanName(name);
        String scoped = beans.containsBeanDefinition(target) ? target : name;
        String scope = beans.containsBeanDefinition(scoped)
                ? beans.getMergedBeanDefinition(scoped).getScope()
                : null;
        return scope == null ? "" : scope;
    }

    /** A call that no proxy has sent on is woven into the class, and may be one of an object that is no bean. */
    @SuppressWarnings("ReferenceEquality") // the very bean
    private boolean isAnother(String name, @Nullable Object target) {
        Object bean = beans.getSingleton(name);
        return bean != null
                && target != null
                && bean != target
                && !(bean instanceof FactoryBean)
                && !AopUtils.isAopProxy(bean);
    }

    @SuppressWarnings("ReferenceEquality") // the very bean
    private static boolean isBehind(Object bean, Object target) {
        for (Object each = bean; each != null; each = AopProxyUtils.getSingletonTarget(each)) {
            if (each == target) {
                return true;
            }
        }
        return false;
    }

    /** An interface proxy is no instance of the class behind it, and a client made at run time has no class of its own. */
    private List<String> find() {
        List<String> exact = all().filter(name -> {
                    Class<?> target = AutoProxyUtils.determineTargetClass(beans, name);
                    return target != null && ClassUtils.getUserClass(target) == type;
                })
                .toList();
        return exact.isEmpty()
                ? all().filter(name -> beans.isTypeMatch(name, type)).toList()
                : exact;
    }

    private Stream<String> all() {
        return Stream.of(beans.getBeanNamesForType(Object.class, true, false))
                .filter(name -> !ScopedProxyUtils.isScopedTarget(name));
    }
}
