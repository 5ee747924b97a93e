package dev.resilience.spring.aop;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.kind.MethodNames;
import dev.resilience.spring.properties.AnnotatedPolicies;
import dev.resilience.spring.properties.AnnotatedPolicies.PolicyUse;
import dev.resilience.spring.properties.PolicyNames;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Finds the live objects that the annotations of methods name, and notes who uses them.
 *
 * @param names answers for names that are not in the registry
 * @param annotated the policies that annotations give values
 * @param late makes those whose annotations turn up when the registry is there
 */
public record NamedPolicies(LiveRegistry registry, PolicyNames names, AnnotatedPolicies annotated, Late late) {

    /** Creates the live objects of policies that become known by the annotations of a class that turns up late. */
    public interface Late {

        /** The new live object; {@code null} for a problem that is reported already. */
        <L extends LiveObject<?>> @Nullable L create(ConfiguredKind<?, ?, L> kind, String name);
    }

    /** Adds what the annotations of all beans say, as far as their classes are known before they are made. Makes no bean. */
    public static void collect(
            ConfigurableListableBeanFactory beans,
            ProtectedMethods methods,
            Kinds kinds,
            AnnotatedPolicies policies,
            StartupProblems problems) {
        List<PolicyUse<?>> ofClasses = new ArrayList<>();
        List<PolicyUse<?>> ofContracts = new ArrayList<>();
        for (String name : beans.getBeanDefinitionNames()) {
            Object made = beans.containsSingleton(name) ? beans.getSingleton(name) : null;
            Class<?> type = made == null || made instanceof FactoryBean
                    ? beans.getType(name, false)
                    : AopUtils.getTargetClass(made);
            if (type != null && (type.isInterface() || !Modifier.isAbstract(type.getModifiers()))) {
                add(methods.in(type), type, kinds, type.isInterface() ? ofContracts : ofClasses);
            }
        }
        policies.collect(ofClasses, ofContracts, problems);
    }

    private static void add(
            Map<Method, ResilienceAnnotations> methods, Class<?> type, Kinds kinds, List<PolicyUse<?>> uses) {
        methods.forEach((method, protection) -> {
            for (ConfiguredKind<?, ?, ?> kind : kinds.configured()) {
                PolicyUse<?> use = protection.use(kind, method, ProtectedMethods.written(type, method));
                if (use != null) {
                    uses.add(use);
                }
            }
        });
    }

    /** The live object that an annotation names; {@code null} if what is written of it is a problem already. */
    public <L extends LiveObject<?>> @Nullable L find(ConfiguredKind<?, ?, L> kind, PolicyUse<?> use) {
        String wanted = annotated.add(use);
        if (names.isBroken(kind, wanted)) {
            return null;
        }
        Map<String, L> live = registry.ofKind(kind.id());
        String inEnvironment = live.containsKey(wanted) ? null : names.inEnvironment(kind, wanted);
        String name = inEnvironment == null ? wanted : inEnvironment;
        L found = live.get(name);
        if (isToBeMade(kind, name, found)) {
            synchronized (late) { // another call of the same time may make it
                found = live.get(name);
                if (isToBeMade(kind, name, found)) {
                    requireUnmade(found, name, use);
                    found = late.create(kind, name);
                    annotated.isMade(kind, name);
                }
            }
            if (found == null) {
                return null;
            }
        }
        if (found == null) {
            String written = use.writtenName();
            throw new ResilienceConfigurationException(
                    ProblemKind.POLICY_NAMES,
                    "The method " + MethodNames.full(use.method(), use.type()) + " names the " + kind.id() + " policy '"
                            + name + (name.equals(written) ? "'" : "' by '" + written + "'") + ", but there is no '"
                            + kind.prefix() + "." + name + "'",
                    names.cure(kind, name, "the annotation", live.keySet()));
        }
        registry.use(kind.id(), name, MethodNames.readable(use.method(), use.type()));
        return found;
    }

    /** What to do about a name in a property that there is no policy of, which is a problem already then; {@code null} if there is. */
    @Nullable
    String cure(ConfiguredKind<?, ?, ?> kind, String name, String property) {
        Set<String> live = registry.ofKind(kind.id()).keySet();
        if (live.contains(name) || names.isBroken(kind, name) || names.inEnvironment(kind, name) != null) {
            return null;
        }
        names.breaks(kind, name);
        return names.cure(kind, name, "'" + property + "'", live);
    }

    private boolean isToBeMade(ConfiguredKind<?, ?, ?> kind, String name, @Nullable LiveObject<?> found) {
        return annotated.contains(kind, name) && (found == null || annotated.isLate(kind, name));
    }

    /** Whether the method goes without the layer, because its policy says so; a problem is reported later. */
    public boolean isSwitchedOff(ConfiguredKind<?, ?, ?> kind, PolicyUse<?> use) {
        try {
            LiveObject<?> found = find(kind, use);
            return found != null && !registry.isEnabled(kind.id(), found.name());
        } catch (ResilienceConfigurationException problem) {
            return false;
        }
    }

    /** What is written of the policy elsewhere has been read, and its live object may be in use. */
    private static void requireUnmade(@Nullable LiveObject<?> found, String name, PolicyUse<?> use) {
        if (found != null) {
            throw new ResilienceConfigurationException(
                    ProblemKind.POLICIES,
                    "The annotation " + use.annotationName() + " of " + use.place()
                            + " has values for the " + use.kind().id() + " policy '" + name
                            + "', which was made without them, because the class was not known at that time",
                    "Let the @Bean method that makes the bean return the type "
                            + use.type().getName() + ", or write the values below '"
                            + use.kind().prefix() + "[" + name + "]'.");
        }
    }
}
