package dev.resilience.spring.properties;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.ResultExpression;
import java.lang.reflect.Proxy;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.DefaultListableBeanFactory;
import org.springframework.core.ResolvableType;

/**
 * The components of policies that are code of the application. What is configured is an expression over a result, if it is a predicate
 * of any objects, and else the name of a bean.
 */
record PolicyFunctions(ConfigurableListableBeanFactory beans) {

    /** For what has no such components. */
    static final PolicyFunctions NONE = new PolicyFunctions(new DefaultListableBeanFactory());

    static boolean isBean(ResolvableType type) {
        return RecordKeys.isFunction(type) && !isExpression(type);
    }

    private static boolean isExpression(ResolvableType type) {
        return type.toClass() == Predicate.class && type.getGeneric().toClass() == Object.class;
    }

    /**
     * What a text stands for; {@code null} for a blank, which takes the place of what is inherited. A bean is made if it is not
     * there yet.
     *
     * @param subject whose component it is, at the beginning of a sentence
     * @param place of the text, in words
     */
    @Nullable
    Object read(String subject, ResolvableType type, String text, String place) {
        if (text.isBlank()) {
            return null;
        }
        return isExpression(type) ? expression(subject, text, place) : bean(subject, type, text, place);
    }

    private static ResultExpression expression(String subject, String text, String place) {
        try {
            return new ResultExpression(text);
        } catch (IllegalArgumentException invalid) {
            throw new ResilienceConfigurationException(
                    ProblemKind.VALUES,
                    subject + " has an expression that cannot work:\n\n" + place + "\n    Reason: "
                            + invalid.getMessage(),
                    "Write a SpEL expression over #result that is true for the results that are meant, such as "
                            + "\"#result.status == 'PENDING'\" or \"#result.status == 'DOWN'\".");
        }
    }

    private Object bean(String subject, ResolvableType type, String name, String place) {
        Object bean = beans.containsBean(name) ? beans.getBean(name) : null;
        if (bean == null || !accepts(type, name)) {
            List<String> known = Arrays.stream(beans.getBeanNamesForType(type.toClass(), true, false))
                    .filter(other -> accepts(type, other))
                    .toList();
            String problem = bean == null ? "does not exist" : "is a " + typeOf(name, type.toClass());
            throw new ResilienceConfigurationException(
                    ProblemKind.POLICIES,
                    subject + " names the bean '" + name + "', which " + problem + ":\n\n" + place,
                    "Write the name of a bean of type " + type + ". " + NearestNames.suggest(name, known));
        }
        return named(name, bean, type.toClass());
    }

    /** Shown by its bean's name in the actuator and in the log, and equal to another one by that. */
    private static Object named(String name, Object function, Class<?> type) {
        return Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> switch (method.getName()) {
                    case "toString" -> name;
                    case "hashCode" -> name.hashCode();
                    case "equals" -> proxy.getClass().isInstance(arguments[0]) && name.equals(arguments[0].toString());
                    default -> AopUtils.invokeJoinpointUsingReflection(function, method, arguments);
                });
    }

    /** Type arguments that are not known, those of lambdas above all, are taken for the right ones. */
    private boolean accepts(ResolvableType type, String bean) {
        return type.isAssignableFromResolvedPart(typeOf(bean, type.toClass()));
    }

    /** With the type arguments of the method that makes the bean, if it says that the bean is of the wanted type. */
    private ResolvableType typeOf(String bean, Class<?> wanted) {
        ResolvableType declared = beans.containsBeanDefinition(bean)
                ? beans.getMergedBeanDefinition(bean).getResolvableType()
                : ResolvableType.NONE;
        return wanted.isAssignableFrom(declared.toClass()) ? declared : ResolvableType.forClass(beans.getType(bean));
    }
}
