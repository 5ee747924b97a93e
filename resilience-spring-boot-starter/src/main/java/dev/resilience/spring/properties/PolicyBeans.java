package dev.resilience.spring.properties;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.PolicyCustomizer;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.kind.ConfiguredKind;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.core.ResolvableType;

/** The policies and their customizers that are beans of the application; made when policies are made, and not before. */
public final class PolicyBeans {

    private final ConfigurableListableBeanFactory beans;
    private final String[] records;
    private final String[] changing;
    private final Map<ConfiguredKind<?, ?, ?>, Set<String>> names = new ConcurrentHashMap<>();
    private final Map<ConfiguredKind<?, ?, ?>, List<PolicyCustomizer<Record>>> customizers = new ConcurrentHashMap<>();

    /** One search for all kinds, because it looks at every bean of the application. */
    public PolicyBeans(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
        this.records = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Record.class, false, false);
        this.changing =
                BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, PolicyCustomizer.class, false, false);
    }

    ConfigurableListableBeanFactory factory() {
        return beans;
    }

    /** The names of the beans that are policies of a kind. */
    Set<String> names(ConfiguredKind<?, ?, ?> kind) {
        return names.computeIfAbsent(
                kind,
                key -> Stream.of(records)
                        .filter(bean -> beans.isTypeMatch(bean, kind.policyType()))
                        .collect(Collectors.toCollection(LinkedHashSet::new)));
    }

    /** The policy that is a bean; {@code null} if there is none of the name. */
    @Nullable
    Record find(ConfiguredKind<?, ?, ?> kind, String name) {
        return names(kind).contains(name) ? beans.getBean(name, kind.policyType()) : null;
    }

    /** What all customizers make of a policy. */
    @SuppressWarnings("unchecked") // each result is of the policy's class
    <P extends Record> P customize(ConfiguredKind<?, ?, ?> kind, String name, P policy) {
        Record customized = policy;
        for (PolicyCustomizer<Record> customizer : customizers(kind)) {
            customized = customize(customizer, kind, name, customized);
        }
        return (P) customized;
    }

    private static Record customize(
            PolicyCustomizer<Record> customizer, ConfiguredKind<?, ?, ?> kind, String name, Record policy) {
        String reason;
        try {
            Record customized = customizer.customize(name, policy);
            if (policy.getClass().isInstance(customized)) {
                return customized;
            }
            reason = "it returned " + customized;
        } catch (InvalidPolicyException invalid) {
            reason = invalid.getMessage();
        }
        throw new ResilienceConfigurationException(
                ProblemKind.VALUES,
                "The PolicyCustomizer " + customizer.getClass().getName() + " cannot change the " + kind.id()
                        + " policy '" + name + "':\n\n    Reason: " + reason,
                "Let it return a policy with values that the policy can have, or the policy that it gets.");
    }

    private List<PolicyCustomizer<Record>> customizers(ConfiguredKind<?, ?, ?> kind) {
        return changing.length == 0 ? List.of() : customizers.computeIfAbsent(kind, this::findCustomizers);
    }

    @SuppressWarnings("unchecked") // found by the type of the policy
    private List<PolicyCustomizer<Record>> findCustomizers(ConfiguredKind<?, ?, ?> kind) {
        return beans.getBeanProvider(customizerOf(kind), false)
                .orderedStream()
                .map(customizer -> (PolicyCustomizer<Record>) customizer)
                .toList();
    }

    private static ResolvableType customizerOf(ConfiguredKind<?, ?, ?> kind) {
        return ResolvableType.forClassWithGenerics(PolicyCustomizer.class, kind.policyType());
    }

    /** Reports the customizers that no policy would ever get to. */
    public void check(Collection<ConfiguredKind<?, ?, ?>> kinds, StartupProblems problems) {
        for (String name : changing) {
            if (kinds.stream().noneMatch(kind -> beans.isTypeMatch(name, customizerOf(kind)))) {
                List<String> types = new ArrayList<>();
                kinds.forEach(kind -> types.add(kind.policyType().getSimpleName()));
                problems.add(new ResilienceConfigurationException(
                        ProblemKind.POLICIES,
                        "The bean '" + name + "' is a PolicyCustomizer, but nothing tells of which policies",
                        "Give its class, or the return type of its @Bean method, the type of the policies: "
                                + "PolicyCustomizer<RetryPolicy>. There are: " + String.join(", ", types) + "."));
            }
        }
    }
}
