package dev.resilience.spring.aop.check;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.kind.MethodNames;
import java.lang.annotation.Annotation;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;
import org.springframework.util.ClassUtils;
import org.springframework.util.ReflectionUtils;

/**
 * Warns of other libraries' resilience annotations on beans: of those that nothing enables, imported by mistake for the
 * most part, and of those that retry what is retried already.
 */
final class OtherLibraries {

    private static final String OURS = Retryable.class.getPackageName();

    private final ListableBeanFactory beans;
    private final ApplicationClasses application;
    private final StartupWarnings warnings;
    private final List<Present> present = new ArrayList<>();
    private final Set<Class<?>> seen = new HashSet<>();
    private final Set<AnnotatedElement> reported = new HashSet<>();

    OtherLibraries(ConfigurableListableBeanFactory beans, ApplicationClasses application, StartupWarnings warnings) {
        this.beans = beans;
        this.application = application;
        this.warnings = warnings;
        for (OtherAnnotation annotation : OtherAnnotation.ALL) {
            Class<? extends Annotation> type = annotation.load(beans.getBeanClassLoader());
            if (type != null) {
                present.add(new Present(annotation, type));
            }
        }
    }

    private record Present(OtherAnnotation annotation, Class<? extends Annotation> type) {}

    /** Warns where both this library and another retry a method; asked before {@link #warnOfIdle}. */
    void warnOfSecondRetry(Class<?> type, Map<Method, ResilienceAnnotations> methods) {
        methods.forEach((method, protection) -> {
            if (protection.has(Retryable.class)) {
                Stream.of(method, type)
                        .filter(element -> warnOfSecondRetry(element, method, type))
                        .findFirst()
                        .ifPresent(reported::add);
            }
        });
    }

    private boolean warnOfSecondRetry(AnnotatedElement annotated, Method method, Class<?> type) {
        MergedAnnotations annotations = MergedAnnotations.from(annotated, SearchStrategy.TYPE_HIERARCHY);
        for (Present other : present) {
            if (other.annotation().retries() && annotations.isPresent(other.type())) {
                String name = MethodNames.full(method, ProtectedMethods.written(type, method));
                String theirs = "@" + other.type().getName();
                warnings.add(
                        isEnabled(other)
                                ? "The method " + name + " is retried twice, by @Retryable of this library and by "
                                        + theirs + ": their attempts multiply"
                                : "The method " + name + " has @Retryable of this library and " + theirs
                                        + ", which nothing enables: once something does, the method is retried twice and the "
                                        + "attempts multiply. Remove it");
                return true;
            }
        }
        return false;
    }

    /** Warns of annotations on a bean's class, its superclasses and interfaces that nothing enables. */
    void warnOfIdle(Class<?> type) {
        if (present.isEmpty()) {
            return;
        }
        for (Class<?> at = type; at != null && application.contains(at) && seen.add(at); at = at.getSuperclass()) {
            lookAt(at);
            for (Class<?> implemented : ClassUtils.getAllInterfacesForClassAsSet(at)) {
                if (application.contains(implemented) && seen.add(implemented)) {
                    lookAt(implemented);
                }
            }
        }
    }

    private void lookAt(Class<?> type) {
        lookAt(type, "The type " + type.getName());
        try {
            ReflectionUtils.doWithLocalMethods(type, method -> {
                if (method.getDeclaredAnnotations().length > 0 && !method.isSynthetic()) {
                    lookAt(method, "The method " + MethodNames.full(method, type));
                }
            });
        } catch (IllegalStateException | LinkageError unreadable) {
            // names a class that is not there: what Spring itself cannot read has no annotations for it either
            return;
        }
    }

    private void lookAt(AnnotatedElement element, String name) {
        if (hasOnlyOurs(element) || reported.contains(element)) {
            return;
        }
        MergedAnnotations annotations = MergedAnnotations.from(element);
        for (Present other : present) {
            if (isItself(annotations.get(other.type())) && !other.annotation().isAtHome(element) && !isEnabled(other)) {
                warnings.add(name + " has @" + other.type().getName() + ", which does nothing: "
                        + other.annotation().cure());
            }
        }
    }

    /** Asked first, because it is quicker than to look for each of the others: ours are not made of those. */
    private static boolean hasOnlyOurs(AnnotatedElement element) {
        for (Annotation annotation : element.getDeclaredAnnotations()) {
            if (!annotation.annotationType().getPackageName().equals(OURS)) {
                return false;
            }
        }
        return true;
    }

    /** Whether it is there, and not only because another library's annotation is made of it. */
    private boolean isItself(MergedAnnotation<?> annotation) {
        MergedAnnotation<?> source = annotation.isPresent() ? annotation.getMetaSource() : null;
        return annotation.isPresent()
                && (source == null
                        || present.stream().noneMatch(other -> other.type().equals(source.getType())));
    }

    private boolean isEnabled(Present other) {
        Class<?> enabling = other.annotation().enabling(other.type().getClassLoader());
        if (enabling == null) {
            return false;
        }
        // a post-processor works in its own context only; advisors and aspects are looked for in the parents' too
        String[] names = BeanPostProcessor.class.isAssignableFrom(enabling)
                ? beans.getBeanNamesForType(enabling, true, false)
                : BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, enabling, true, false);
        return names.length > 0;
    }
}
