package dev.resilience.spring.autoconfigure;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.aop.Bindings;
import dev.resilience.spring.aop.ProtectedMethods;
import dev.resilience.spring.aop.ProxyRules;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.ResilienceAnnotations;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.properties.ResilienceProperties;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopContext;
import org.springframework.aot.hint.BindingReflectionHintsRegistrar;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.ReflectionHints;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Tells a native image what the library finds by reflection: policies, events, annotations, fallback methods, and the values
 * of idempotent methods. Ahead-of-time processing is tested on the JVM alone.
 */
final class ResilienceRuntimeHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public @Nullable BeanFactoryInitializationAotContribution processAheadOfTime(
            ConfigurableListableBeanFactory beans) {
        if (beans.getBeanNamesForType(ResilienceAdvisor.class, true, false).length == 0) {
            return null;
        }
        Kinds kinds = beans.getBean(Kinds.class);
        StartupProblems problems = new StartupProblems();
        Bindings none = new Bindings(List.of(), beans, problems);
        ProtectedMethods methods =
                new ProtectedMethods(new ProxyRules(true), problems, () -> kinds, kinds::annotations, none);
        for (String name : beans.getBeanDefinitionNames()) {
            Class<?> type = beans.getType(name, false);
            if (type != null) {
                methods.of(type);
            }
        }
        problems.throwIfAny();
        return (context, code) -> {
            RuntimeHints hints = context.getRuntimeHints();
            hints.resources().registerPattern("dev/resilience/spring/*/redis/*.lua");
            hints.resources().registerPattern("dev/resilience/spring/actuate/dashboard/*");
            new BindingReflectionHintsRegistrar().registerReflectionHints(hints.reflection(), Shown.class);
            for (Class<?> annotation : kinds.annotations()) { // a proxy, if its attributes are of a meta-annotation
                hints.proxies().registerJdkProxy(annotation);
                hints.reflection().registerType(annotation, MemberCategory.INVOKE_DECLARED_METHODS);
            }
            List.of(ResilienceEvent.class.getPermittedSubclasses()).forEach(event -> registerRecord(event, hints));
            registerRecord(ResilienceProperties.class, hints);
            hints.reflection().registerType(AopContext.class, MemberCategory.INVOKE_DECLARED_METHODS);
            kinds.configured().forEach(kind -> registerRecord(kind.policyType(), hints));
            methods.all()
                    .forEach((type, found) -> found.forEach(
                            (method, protection) -> register(method, type, protection, beans, hints.reflection())));
        };
    }

    private static void register(
            Method method,
            Class<?> type,
            ResilienceAnnotations protection,
            ConfigurableListableBeanFactory beans,
            ReflectionHints hints) {
        Fallback fallback = protection.get(Fallback.class);
        if (fallback != null) {
            int end = fallback.value().lastIndexOf("::");
            Class<?> owner = end < 0 ? type : beans.getType(fallback.value().substring(0, end), false);
            for (Class<?> at = owner; at != null && at != Object.class; at = at.getSuperclass()) {
                hints.registerType(at, MemberCategory.INVOKE_DECLARED_METHODS);
            }
        }
        Idempotent idempotent = protection.get(Idempotent.class);
        if (idempotent != null) {
            BindingReflectionHintsRegistrar values = new BindingReflectionHintsRegistrar();
            values.registerReflectionHints(hints, idempotent.resultType(), method.getGenericReturnType());
            values.registerReflectionHints(hints, method.getGenericParameterTypes());
        }
    }

    private static void registerRecord(Class<?> type, RuntimeHints hints) {
        hints.reflection()
                .registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.getType().isRecord()) {
                registerRecord(component.getType(), hints);
            } else if (component.getType().isAnnotationPresent(FunctionalInterface.class)) {
                hints.proxies().registerJdkProxy(component.getType()); // a bean, with its name
            }
        }
    }
}
