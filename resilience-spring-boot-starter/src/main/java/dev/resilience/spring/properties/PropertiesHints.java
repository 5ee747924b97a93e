package dev.resilience.spring.properties;

import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.kind.Kinds;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotContribution;
import org.springframework.beans.factory.aot.BeanFactoryInitializationAotProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.BindableRuntimeHintsRegistrar;

/**
 * Properties can be bound in a native image too. They are bound without a bean, so Boot does not see to that, and
 * {@link KnownKeys} looks at their components.
 */
final class PropertiesHints implements BeanFactoryInitializationAotProcessor {

    @Override
    public BeanFactoryInitializationAotContribution processAheadOfTime(ConfigurableListableBeanFactory beans) {
        ObjectProvider<Kinds> kinds = beans.getBeanProvider(Kinds.class);
        List<Class<?>> types = new ArrayList<>();
        addRecords(ResilienceProperties.class, types);
        kinds.ifAvailable(found -> {
            for (PolicyKind kind : found.ofPolicies()) {
                addRecords(kind.policyType(), types);
            }
        });
        return (context, code) -> registerHints(context.getRuntimeHints(), beans.getBeanClassLoader(), types);
    }

    private static void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader, List<Class<?>> types) {
        BindableRuntimeHintsRegistrar.forTypes(types).registerHints(hints, classLoader);
        types.forEach(type -> registerMethods(hints, type));
    }

    /** The record and those that it is made of, which need not be nested in it. */
    private static void addRecords(Class<?> type, List<Class<?>> types) {
        types.add(type);
        for (RecordComponent component : type.getRecordComponents()) {
            if (component.getType().isRecord()) {
                addRecords(component.getType(), types);
            }
        }
    }

    private static void registerMethods(RuntimeHints hints, Class<?> type) {
        hints.reflection()
                .registerType(type, MemberCategory.INVOKE_PUBLIC_METHODS, MemberCategory.INVOKE_DECLARED_CONSTRUCTORS);
        for (Class<?> nested : type.getDeclaredClasses()) {
            registerMethods(hints, nested);
        }
    }
}
