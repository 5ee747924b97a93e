package dev.resilience.spring.deadletter;

import dev.resilience.spring.kind.MethodNames;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;
import org.springframework.util.function.SingletonSupplier;

/** The names of the beans of one type: a letter is sent to the very bean that was called. */
final class BeanNames {

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
        if (known.size() == 1) {
            return known.get(0);
        }
        return known.stream()
                .filter(name ->
                        target != null && beans.containsSingleton(name) && isBehind(beans.getBean(name), target))
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nothing tells which bean of the type "
                        + MethodNames.simple(type) + " was called: there are " + known));
    }

    /** The bean of a name; {@code null} if there is none of the type. */
    @Nullable
    Object get(String name) {
        return names.obtain().contains(name) ? beans.getBean(name) : null;
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
