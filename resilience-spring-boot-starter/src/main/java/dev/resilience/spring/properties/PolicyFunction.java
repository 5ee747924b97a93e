package dev.resilience.spring.properties;

import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.ResultExpression;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.ResolvableType;

/**
 * A component of a policy that is code of the application. What is written is an expression over a result, if it is a predicate
 * of any objects, and else the name of a bean.
 *
 * @param place of the text, in words
 */
record PolicyFunction(
        ListableBeanFactory beans,
        PolicyKind kind,
        String policy,
        ResolvableType type,
        String text,
        Supplier<String> place) {

    /** The keys of a policy that name beans. */
    static Set<String> beans(Class<?> policy) {
        Map<String, ResolvableType> functions = PolicyKeys.functions(policy);
        functions.values().removeIf(PolicyFunction::isExpression);
        return functions.keySet();
    }

    private static boolean isExpression(ResolvableType type) {
        return type.toClass() == Predicate.class && type.getGeneric().toClass() == Object.class;
    }

    /**
     * What the text stands for; {@code null} for a blank, which takes the place of what is inherited. A bean is made if it is
     * not there yet.
     */
    @Nullable
    Object read() {
        if (text.isBlank()) {
            return null;
        }
        return isExpression(type) ? expression() : bean();
    }

    private ResultExpression expression() {
        try {
            return new ResultExpression(text);
        } catch (IllegalArgumentException invalid) {
            throw new ResilienceConfigurationException(
                    MistakeKind.VALUES,
                    subject() + " has an expression that cannot work:\n\n" + place.get() + "\n    Reason: "
                            + invalid.getMessage(),
                    "Write a SpEL expression over #result that is true for the results that are meant, such as "
                            + "\"#result.status == 'PENDING'\" or \"#result.status == 'DOWN'\".");
        }
    }

    private Object bean() {
        if (!beans.containsBean(text)) {
            throw mistake("does not exist");
        }
        Object bean = beans.getBean(text);
        if (!type.toClass().isInstance(bean) || !accepts(typeOf(bean))) {
            throw mistake("is a " + typeOf(bean));
        }
        return bean instanceof Predicate<?> rule && type.toClass() == Predicate.class
                ? new NamedPredicate<>(text, rule)
                : kind.named(type.toClass(), text, bean);
    }

    /** Shown by its name. */
    private record NamedPredicate<T>(String name, Predicate<T> rule) implements Predicate<T> {

        @Override
        public boolean test(T value) {
            return rule.test(value);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private String subject() {
        return "The " + kind.id() + " policy '" + policy + "'";
    }

    private ResilienceConfigurationException mistake(String problem) {
        List<String> known = Arrays.stream(beans.getBeanNamesForType(type.toClass(), true, false))
                .filter(other -> accepts(declaredType(other)))
                .toList();
        return new ResilienceConfigurationException(
                MistakeKind.POLICIES,
                subject() + " names the bean '" + text + "', which " + problem + ":\n\n" + place.get(),
                "Write the name of a bean of type " + type + ". " + NearestNames.suggest(text, known));
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
        ResolvableType declared = declaredType(text);
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
