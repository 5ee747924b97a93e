package dev.resilience.spring.fallback;

import dev.resilience.annotation.Fallback;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** Finds the methods that the {@link Fallback} of one method names, and says why there is none. */
final class FallbackResolver {

    /** Between the name of a bean and that of its method. */
    private static final String OF_BEAN = "::";

    private final Fallback annotation;
    private final FallbackCandidate protectedMethod;
    private final ConfigurableListableBeanFactory beans;
    private final String name;
    private final FallbackTarget target;

    FallbackResolver(Fallback annotation, Method method, Class<?> type, ConfigurableListableBeanFactory beans) {
        this.annotation = annotation;
        this.protectedMethod = new FallbackCandidate(method, type);
        this.beans = beans;
        String bean = beanName(annotation);
        this.name = bean == null ? annotation.value() : annotation.value().substring((bean + OF_BEAN).length());
        this.target = new FallbackTarget(type, bean == null ? null : known(bean), beans);
    }

    /** The name of the bean whose method answers; {@code null} if it is the same as that of the protected method. */
    static @Nullable String beanName(Fallback annotation) {
        int end = annotation.value().lastIndexOf(OF_BEAN);
        return end < 0 ? null : annotation.value().substring(0, end);
    }

    private String known(String bean) {
        if (!beans.containsBean(bean)) {
            throw new ResilienceConfigurationException(
                    "The bean '" + bean + "' of the fallback '" + annotation.value() + "' of " + described()
                            + " does not exist",
                    "Define the bean, or correct its name. "
                            + NearestNames.suggest(bean, List.of(BeanFactoryUtils.beanNamesIncludingAncestors(beans))));
        }
        return bean;
    }

    ReflectiveFallback resolve() {
        List<ReflectiveFallback.Form> forms = withMostParameters(matching(named()));
        for (ReflectiveFallback.Form form : forms) {
            List<Class<?>> undeclared = form.candidate().undeclaredIn(protectedMethod);
            if (!undeclared.isEmpty() && !protectedMethod.isAsynchronous()) { // a stage passes on all exceptions
                throw new ResilienceConfigurationException(
                        "The fallback method "
                                + MethodNames.full(
                                        form.method(), form.candidate().type()) + " throws "
                                + undeclared.stream().map(Class::getName).collect(Collectors.joining(", "))
                                + ", which " + described() + " does not declare",
                        "Catch it in '" + name + "', or declare it in '"
                                + protectedMethod.method().getName() + "' as well.");
            }
        }
        return new ReflectiveFallback(target, forms, annotation.on(), annotation.except());
    }

    private List<FallbackCandidate> named() {
        List<FallbackCandidate> others = target.methods().stream()
                .filter(candidate -> !candidate.method().equals(protectedMethod.method()))
                .toList();
        List<FallbackCandidate> named = others.stream()
                .filter(candidate -> candidate.method().getName().equals(name))
                .toList();
        if (named.isEmpty()) {
            Set<String> names = others.stream()
                    .map(candidate -> candidate.method().getName())
                    .collect(Collectors.toSet());
            throw new ResilienceConfigurationException(
                    "The fallback method '" + annotation.value() + "' of " + described() + " does not exist in "
                            + target,
                    "Write the method, or correct the name. " + NearestNames.suggest(name, names)
                            + (name.equals(protectedMethod.method().getName())
                                    ? " A method cannot be its own fallback."
                                    : ""));
        }
        return named;
    }

    private List<ReflectiveFallback.Form> matching(List<FallbackCandidate> named) {
        List<ReflectiveFallback.Form> forms = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (FallbackCandidate candidate : named) {
            ReflectiveFallback.Form form = ReflectiveFallback.Form.of(candidate, protectedMethod);
            String why = form == null
                    ? "takes other parameters"
                    : !candidate.answersFor(protectedMethod)
                            ? "returns " + candidate.result()
                            : candidate.isSuspending() && !protectedMethod.isSuspending()
                                    ? "is a suspending function, for which " + described() + " has no coroutine"
                                    : target.refuses(candidate);
            if (form != null && why == null) {
                forms.add(form);
            }
            found.add(candidate + ", which " + why);
        }
        if (forms.isEmpty()) {
            throw new ResilienceConfigurationException(
                    "The fallback method '" + annotation.value() + "' of " + described() + " does not match it: found "
                            + String.join("; ", found),
                    "A fallback method has the same parameters, or the first few of them, or none, "
                            + "optionally followed by one Throwable, or preceded by it, and returns "
                            + protectedMethod.result() + ".");
        }
        return forms;
    }

    /** Of those that take the same type of failure. The others would never answer. */
    private List<ReflectiveFallback.Form> withMostParameters(List<ReflectiveFallback.Form> all) {
        Map<@Nullable Class<?>, ReflectiveFallback.Form> byFailure = new LinkedHashMap<>();
        for (ReflectiveFallback.Form form : all) {
            ReflectiveFallback.Form other = byFailure.get(form.failure());
            if (other == null || other.taken() < form.taken()) {
                byFailure.put(form.failure(), form);
            }
        }
        for (ReflectiveFallback.Form form : all) {
            ReflectiveFallback.Form chosen = byFailure.get(form.failure());
            if (chosen != null && !chosen.equals(form) && chosen.taken() == form.taken()) {
                throw new ResilienceConfigurationException(
                        "The fallback '" + annotation.value() + "' of " + described()
                                + " names two methods, neither of which is the closer one: " + chosen.candidate()
                                + " and " + form.candidate(),
                        "Remove or rename one of them.");
            }
        }
        return List.copyOf(byFailure.values());
    }

    private String described() {
        return MethodNames.full(protectedMethod.method(), protectedMethod.type());
    }
}
