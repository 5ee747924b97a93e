package dev.resilience.spring.aop.check;

import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.InitializingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.MergedAnnotations;

/**
 * Warns of annotations on methods that make or set up beans. Those on {@code @Bean} methods and configuration classes
 * protect the one call that makes the bean, and none of the bean's own methods. Those on {@code @PostConstruct} methods and
 * the like do nothing when the container calls them, because it has no proxy of the bean then.
 */
record BeanMethodCheck(StartupWarnings warnings, boolean areWoven) {

    void check(Class<?> type, Map<Method, ResilienceAnnotations> methods) {
        boolean configuration = AnnotatedElementUtils.hasAnnotation(type, Configuration.class);
        methods.forEach((method, protection) -> {
            boolean makesBean = AnnotatedElementUtils.hasAnnotation(method, Bean.class);
            if (makesBean && protection.onMethod()) {
                String made = method.getReturnType().getSimpleName();
                warnings.add("The @Bean method " + MethodNames.full(method, type) + " has " + protection
                        + ", which holds for making the bean and not for calls of it. Annotate the methods of " + made
                        + " or of an interface that it implements; where that cannot be, write a bean that calls it, "
                        + "and annotate that bean's methods");
            } else if (makesBean && configuration) {
                warnings.add("The configuration class " + type.getName() + " has " + protection
                        + ", which holds for making its beans, as by " + method.getName()
                        + "(), and not for calls of them. Annotate the classes of the beans or their interfaces");
            } else if (!areWoven && protection.onMethod() && isCalledWithoutProxy(method, type)) {
                warnings.add("The method " + MethodNames.full(method, type) + " has " + protection
                        + ", but the container calls it on the bean itself and not on its proxy, so that call is not "
                        + "protected. Let it call a method of another bean that has the annotation");
            }
        });
    }

    private static boolean isCalledWithoutProxy(Method method, Class<?> type) {
        MergedAnnotations annotations = MergedAnnotations.from(method);
        return annotations.isPresent("jakarta.annotation.PostConstruct")
                || annotations.isPresent("jakarta.annotation.PreDestroy")
                || isOf(InitializingBean.class, "afterPropertiesSet", method, type)
                || isOf(DisposableBean.class, "destroy", method, type);
    }

    private static boolean isOf(Class<?> callback, String name, Method method, Class<?> type) {
        return callback.isAssignableFrom(type)
                && method.getParameterCount() == 0
                && method.getName().equals(name);
    }
}
