package dev.resilience.spring.properties;

import dev.resilience.policy.InvalidPolicyException;
import dev.resilience.spring.MistakeKind;
import dev.resilience.spring.PolicyCustomizer;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupMistakes;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.core.ResolvableType;

/** The policies and their customizers that are beans of the application; made when policies are made, and not before. */
public final class PolicyBeans {

    private final ListableBeanFactory beans;
    private final String[] records;
    private final String[] changing;
    private final Map<PolicyKind, Set<String>> names = new ConcurrentHashMap<>();
    private final Map<PolicyKind, List<PolicyCustomizer<Record>>> customizers = new ConcurrentHashMap<>();

    public PolicyBeans(ListableBeanFactory beans) {
        this.beans = beans;
        this.records = search(beans, Record.class);
        this.changing = search(beans, PolicyCustomizer.class);
    }

    ListableBeanFactory factory() {
        return beans;
    }

    static PolicyBeans none() {
        return new PolicyBeans(new StaticListableBeanFactory());
    }

    /** The names of the beans that are policies of a kind. */
    Set<String> names(PolicyKind kind) {
        return names.computeIfAbsent(kind, key -> namesOf(records, bean -> beans.isTypeMatch(bean, kind.policyType())));
    }

    private static Set<String> namesOf(String[] beans, Predicate<String> wanted) {
        return Arrays.stream(beans).filter(wanted).collect(Collectors.toUnmodifiableSet());
    }

    /** One search for all kinds: it looks at every bean of the application. */
    private static String[] search(ListableBeanFactory beans, Class<?> type) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, type, false, false);
    }

    /** The policy that is a bean; {@code null} if there is none of the name. */
    @Nullable
    Record find(PolicyKind kind, String name) {
        return names(kind).contains(name) ? beans.getBean(name, kind.policyType()) : null;
    }

    String describe(String name) {
        return "    Bean: " + name;
    }

    /** What all customizers make of a policy. */
    <P extends Record> P customize(PolicyKind kind, String name, P policy) {
        Record customized = policy;
        for (PolicyCustomizer<Record> customizer : customizers(kind)) {
            customized = customize(customizer, kind, name, customized);
        }
        @SuppressWarnings("unchecked") // checked below
        P result = (P) customized;
        return result;
    }

    private static Record customize(PolicyCustomizer<Record> customizer, PolicyKind kind, String name, Record policy) {
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
                MistakeKind.VALUES,
                "The PolicyCustomizer " + customizer.getClass().getName() + " cannot change the " + kind.id()
                        + " policy '" + name + "':\n\n    Reason: " + reason,
                "Let it return a policy with values that the policy can have, or the policy that it gets.");
    }

    @SuppressWarnings("unchecked") // found by the type of the policy
    private List<PolicyCustomizer<Record>> customizers(PolicyKind kind) {
        return changing.length == 0
                ? List.of()
                : customizers.computeIfAbsent(
                        kind,
                        key -> beans.getBeanProvider(customizerOf(kind), false)
                                .orderedStream()
                                .map(customizer -> (PolicyCustomizer<Record>) customizer)
                                .toList());
    }

    private static ResolvableType customizerOf(PolicyKind kind) {
        return ResolvableType.forClassWithGenerics(PolicyCustomizer.class, kind.policyType());
    }

    /** Tells of customizers that no policy would ever get to. */
    public void check(Collection<? extends PolicyKind> kinds, StartupMistakes mistakes) {
        Set<String> lost = namesOf(
                changing, bean -> kinds.stream().noneMatch(kind -> beans.isTypeMatch(bean, customizerOf(kind))));
        String types = kinds.stream()
                .map(kind -> kind.policyType().getSimpleName())
                .distinct()
                .collect(Collectors.joining(", "));
        lost.forEach(name -> mistakes.add(new ResilienceConfigurationException(
                MistakeKind.POLICIES,
                "The bean '" + name + "' is a PolicyCustomizer, but nothing tells of which policies",
                "Give its class, or the return type of its @Bean method, the type of the policies: "
                        + "PolicyCustomizer<RetryPolicy>. There are: " + types + ".")));
    }
}
