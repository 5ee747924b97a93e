package dev.resilience.spring.aop;

import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.method.ResilienceAnnotations;
import dev.resilience.spring.aop.method.ReturnTypes;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.LinkedHashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/**
 * Tells a native image what protected methods need of reflection, kind by kind. Annotations that are found as
 * meta-annotations with other attributes are proxies, which a native image must have.
 */
final class ProtectedMethodsHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        if (beans.getBeanNamesForType(ResilienceAdvisor.class, true, false).length == 0) {
            return null;
        }
        Kinds kinds = beans.getBean(Kinds.class);
        ProtectedMethods methods = new ProtectedMethods(true, StartupMistakes.thrownAtOnce(), () -> kinds);
        Set<Class<?>> types = new LinkedHashSet<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null && methods.areIn(type)) {
                types.add(type);
            }
        }
        return (context, code) -> {
            ReflectionHints hints = context.getRuntimeHints().reflection();
            kinds.annotations().forEach(annotation -> {
                context.getRuntimeHints().proxies().registerJdkProxy(annotation);
                hints.registerType(annotation, MemberCategory.INVOKE_DECLARED_METHODS); // attributes are values
            });
            types.forEach(type -> methods.of(type)
                    .forEach((method, protection) ->
                            kinds.layers().forEach(kind -> register(kind, type, method, protection, beans, hints))));
        };
    }

    private static <A extends Annotation> void register(
            Kind<A, ?> kind,
            Class<?> type,
            Method method,
            ResilienceAnnotations protection,
            ConfigurableListableBeanFactory beans,
            ReflectionHints hints) {
        A annotation = protection.get(kind.annotation());
        if (annotation != null) {
            Class<?> written = ProtectedMethods.written(type, method);
            ResolvableType result =
                    ReturnTypes.resultType(method, written, ReturnTypes.isAsynchronous(method, written));
            kind.hints(annotation, method, written, result, hints);
            kind.hints(annotation, beans, hints);
        }
    }
}
