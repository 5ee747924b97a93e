package dev.resilience.spring.registry;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import java.util.Arrays;
import java.util.List;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ResolvableType;

/** A bean that a property names. */
record NamedBean(ApplicationContext beans, String name, ResolvableType type) {

    /**
     * The bean, which is made if it is not there yet.
     *
     * @param subject what names it, as the beginning of a sentence
     * @param property in words
     */
    Object get(String subject, String property) {
        if (!beans.containsBean(name)) {
            throw mistake(subject + " names the bean '" + name + "', which does not exist", property);
        }
        Object bean = beans.getBean(name);
        if (!type.toClass().isInstance(bean) || !accepts(typeOf(bean))) {
            throw mistake(subject + " names the bean '" + name + "', which is a " + typeOf(bean), property);
        }
        return bean;
    }

    private ResilienceConfigurationException mistake(String problem, String property) {
        List<String> known = Arrays.stream(beans.getBeanNamesForType(type.toClass(), true, false))
                .filter(other -> accepts(declaredType(other)))
                .toList();
        return new ResilienceConfigurationException(
                MistakeKind.POLICIES,
                problem + ":\n\n" + property,
                "Write the name of a bean of type " + type + ". " + NearestNames.suggest(name, known));
    }

    /** Type arguments that are not known, those of lambdas above all, are taken for the right ones. */
    private boolean accepts(ResolvableType candidate) {
        ResolvableType same = candidate.as(type.toClass());
        for (int i = 0; i < type.getGenerics().length; i++) {
            Class<?> argument = same.getGeneric(i).resolve();
            if (argument != null
                    && !argument.isAssignableFrom(type.getGeneric(i).toClass())) {
                return false;
            }
        }
        return true;
    }

    private ResolvableType typeOf(Object bean) {
        ResolvableType declared = declaredType(name);
        return declared.toClass().isInstance(bean) ? declared : ResolvableType.forInstance(bean);
    }

    /** With the type arguments of the method that makes the bean. */
    private ResolvableType declaredType(String bean) {
        if (beans instanceof ConfigurableApplicationContext application) {
            ConfigurableListableBeanFactory factory = application.getBeanFactory();
            if (factory.containsBeanDefinition(bean)) {
                return factory.getMergedBeanDefinition(bean).getResolvableType();
            }
        }
        return ResolvableType.forClass(beans.getType(bean));
    }
}
