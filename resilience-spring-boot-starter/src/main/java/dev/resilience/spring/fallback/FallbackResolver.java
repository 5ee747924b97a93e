package dev.resilience.spring.fallback;

import dev.resilience.annotation.Fallback;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.MethodNames;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.AnnotatedElementUtils;

/** Finds the methods that the {@link Fallback} of one method names, and says why there is none. */
final class FallbackResolver {

    /** Between the name of a bean and that of its method. */
    private static final String OF_BEAN = "::";

    private final Fallback annotation;
    private final FallbackCandidate protectedMethod;
    private final ConfigurableListableBeanFactory beans;
    private final String name;
    private final FallbackOwner owner;

    private FallbackResolver(Fallback annotation, Method method, Class<?> type, ConfigurableListableBeanFactory beans) {
        this.annotation = annotation;
        this.protectedMethod = new FallbackCandidate(method, type);
        this.beans = beans;
        this.name = methodName(annotation);
        String bean = beanName(annotation);
        this.owner = bean == null ? new OwnBean(type) : new NamedBean(known(bean), beans);
    }

    static ReflectiveFallback resolve(
            Fallback annotation, Method method, Class<?> type, ConfigurableListableBeanFactory beans) {
        return new FallbackResolver(annotation, method, type, beans).resolve();
    }

    /** The name of the bean whose method answers; {@code null} if it is the same as that of the protected method. */
    static @Nullable String beanName(Fallback annotation) {
        int end = annotation.value().lastIndexOf(OF_BEAN);
        return end < 0 ? null : annotation.value().substring(0, end);
    }

    static String methodName(Fallback annotation) {
        String value = annotation.value();
        int end = value.lastIndexOf(OF_BEAN);
        return end < 0 ? value : value.substring(end + OF_BEAN.length());
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

    private List<FallbackForm> forms() {
        return withMostParameters(matching(named()));
    }

    private ReflectiveFallback resolve() {
        List<FallbackForm> forms = forms();
        refuseCircle(forms, protectedMethod, new LinkedHashSet<>(Set.of(described())));
        for (FallbackForm form : forms) {
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
        return new ReflectiveFallback(owner, forms, annotation.on(), annotation.except());
    }

    /** Beans that answer for each other would do so until the stack overflows. */
    private void refuseCircle(List<FallbackForm> forms, FallbackCandidate begin, Set<String> way) {
        for (FallbackForm form : owner instanceof NamedBean ? forms : List.<FallbackForm>of()) {
            Class<?> type = form.candidate().type();
            Method method = AopUtils.getMostSpecificMethod(form.method(), type);
            if (method.equals(begin.method())) {
                throw new ResilienceConfigurationException(
                        "The fallbacks of " + String.join(" and ", way) + " answer for each other in a circle",
                        "Remove one of them, or name a method without a @Fallback.");
            }
            Fallback next = annotationOf(method, type);
            if (next != null && way.add(MethodNames.full(method, type))) {
                FallbackResolver resolver;
                List<FallbackForm> further;
                try {
                    resolver = new FallbackResolver(next, method, type, beans);
                    further = resolver.forms();
                } catch (ResilienceConfigurationException mistake) {
                    continue; // which is told with the other method
                }
                resolver.refuseCircle(further, begin, way);
            }
        }
    }

    private static @Nullable Fallback annotationOf(Method method, Class<?> type) {
        Fallback own = AnnotatedElementUtils.findMergedAnnotation(method, Fallback.class);
        return own == null ? AnnotatedElementUtils.findMergedAnnotation(type, Fallback.class) : own;
    }

    private List<FallbackCandidate> named() {
        List<FallbackCandidate> others = owner.methods().stream()
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
                            + owner,
                    "Write the method, or correct the name. " + NearestNames.suggest(name, names)
                            + (name.equals(protectedMethod.method().getName())
                                    ? " A method cannot be its own fallback."
                                    : ""));
        }
        return named;
    }

    private List<FallbackForm> matching(List<FallbackCandidate> named) {
        List<FallbackForm> forms = new ArrayList<>();
        List<String> found = new ArrayList<>();
        for (FallbackCandidate candidate : named) {
            FallbackForm form = FallbackForm.of(candidate, protectedMethod);
            String why = form == null
                    ? "takes other parameters"
                    : !candidate.answersFor(protectedMethod)
                            ? "returns " + candidate.result()
                            : candidate.isSuspending() && !protectedMethod.isSuspending()
                                    ? "is a suspending function, for which " + described() + " has no coroutine"
                                    : owner.refuses(candidate, protectedMethod);
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
    private List<FallbackForm> withMostParameters(List<FallbackForm> all) {
        Map<@Nullable Class<?>, FallbackForm> byFailure = new LinkedHashMap<>();
        for (FallbackForm form : all) {
            FallbackForm other = byFailure.get(form.failure());
            if (other == null || other.taken() < form.taken()) {
                byFailure.put(form.failure(), form);
            }
        }
        for (FallbackForm form : all) {
            FallbackForm chosen = byFailure.get(form.failure());
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
