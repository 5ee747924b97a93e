package dev.resilience.spring.deadletter;

import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.kind.ProtectedCall;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.autoproxy.AutoProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.beans.factory.config.ConfigurableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.util.ClassUtils;

/** The names of the beans of one type: a letter is sent to the very bean that was called. */
record BeanNames(Class<?> type, ConfigurableListableBeanFactory beans) {

    /** Scopes of which all calls of an application have the same object. */
    private static final Set<String> SHARED =
            Set.of("", ConfigurableBeanFactory.SCOPE_SINGLETON, "application", "refresh");

    /**
     * The name of the bean that was called. If its proxy does not tell, it is the only one of the type, or the singleton that is
     * the object itself.
     *
     * @throws IllegalStateException if nothing tells which one it is
     */
    String of(ProtectedCall call) {
        String called = call.bean();
        if (called != null && have(called)) {
            return called;
        }
        List<String> all = definitions().map(BeanNames::visible).distinct().toList();
        return all.stream()
                .filter(name -> all.size() == 1 || beans.getSingleton(name) == call.target())
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("nothing tells which bean of the type "
                        + MethodNames.simple(type) + " was called: there are " + all));
    }

    /** Whether there is a bean of a name and of the type. */
    boolean have(String name) {
        return Stream.of(ScopedProxyUtils.getTargetBeanName(name), name).anyMatch(this::isOfType);
    }

    /** Which bean of the type is another object for each call or caller, in words; {@code null} if none is. */
    @Nullable
    String whyNotTheSame() {
        return definitions()
                .filter(name -> !SHARED.contains(scope(name)))
                .findFirst()
                .map(name -> "the bean '" + visible(name) + "' has the scope '" + scope(name) + "'")
                .orElse(null);
    }

    private String scope(String name) {
        String scope = beans.containsBeanDefinition(name)
                ? beans.getMergedBeanDefinition(name).getScope()
                : null;
        return scope == null ? "" : scope;
    }

    private Stream<String> definitions() {
        return Stream.of(beans.getBeanNamesForType(Object.class, true, false)).filter(this::isOfType);
    }

    /** The name of the proxy, for what a scoped proxy stands for. */
    private static String visible(String name) {
        return ScopedProxyUtils.isScopedTarget(name) ? ScopedProxyUtils.getOriginalBeanName(name) : name;
    }

    /** A client made at run time has no class of its own. */
    private boolean isOfType(String name) {
        Class<?> found = beans.containsBean(name) ? AutoProxyUtils.determineTargetClass(beans, name) : null;
        return found != null
                && (type.isInterface() ? type.isAssignableFrom(found) : ClassUtils.getUserClass(found) == type);
    }
}
