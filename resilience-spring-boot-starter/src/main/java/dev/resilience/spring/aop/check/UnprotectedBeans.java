package dev.resilience.spring.aop.check;

import dev.resilience.spring.aop.ResilienceAdvisor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanPostProcessor;

/**
 * Ends the startup where a bean is made whose annotated methods no proxy can intercept, so that no other bean calls them
 * unprotected while the rest starts. What else is wrong, in properties and in the classes of all other beans as far as they
 * are known by then, is told with it.
 */
public final class UnprotectedBeans implements BeanPostProcessor {

    private final ResilienceAdvisor advisor;
    private final ObjectProvider<StartupCheck> check;

    /**
     * @param check run when such a bean is made during the startup; afterwards the bean itself fails
     */
    public UnprotectedBeans(ResilienceAdvisor advisor, ObjectProvider<StartupCheck> check) {
        this.advisor = advisor;
        this.check = check;
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (advisor.methods().areRefusedIn(bean.getClass())) {
            check.getObject().run();
        }
        return bean;
    }
}
