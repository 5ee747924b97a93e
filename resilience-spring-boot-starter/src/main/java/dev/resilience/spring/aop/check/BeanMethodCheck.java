package dev.resilience.spring.aop.check;

import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.Map;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.annotation.AnnotatedElementUtils;

/**
 * Warns of annotations on {@code @Bean} methods and configuration classes: they protect the one call that makes the
 * bean, and none of the bean's own methods.
 */
final class BeanMethodCheck {

    private final StartupWarnings warnings;

    BeanMethodCheck(StartupWarnings warnings) {
        this.warnings = warnings;
    }

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
            }
        });
    }
}
