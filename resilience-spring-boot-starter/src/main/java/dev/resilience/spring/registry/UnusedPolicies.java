package dev.resilience.spring.registry;

import static dev.resilience.spring.WarningId.POLICY_WITHOUT_USE;

import dev.resilience.policy.PropertyNames;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.kind.ConfiguredKind;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/**
 * Warns of policies that are written and that no method uses, directly or by {@code extends}: most of them are misspelt.
 * Says nothing where they may be used unseen: a bean of the application has the registry, or the class of a bean that is
 * made later is not known.
 */
public record UnusedPolicies(
        DefaultResilienceRegistry registry, ConfigurableListableBeanFactory beans, StartupWarnings warnings) {

    private static final String DEFAULT = "default";
    private static final String REGISTRY = "resilienceRegistry";
    private static final String OWN_CONFIGURATION =
            ResilienceRegistry.class.getPackageName() + ".autoconfigure.Resilience";

    /** The kinds that Spring Cloud's circuit breakers are made of, and the beans that make them. */
    private static final Set<String> OF_SPRING_CLOUD = Set.of("circuit-breaker", "time-limit");

    private static final Set<String> SPRING_CLOUD =
            Set.of("resilienceCircuitBreakerFactory", "reactiveResilienceCircuitBreakerFactory");

    /** To be called when the plans of all methods are there. */
    public void warn() {
        if (!isUsedByCode()) {
            registry.kinds().configured().stream()
                    .filter(kind -> !isUsedBySpringCloud(kind))
                    .flatMap(this::unused)
                    .forEach(text -> warnings.add(POLICY_WITHOUT_USE.of(text)));
        }
    }

    private Stream<String> unused(ConfiguredKind<?, ?, ?> kind) {
        Set<String> used = used(kind);
        Set<String> unused = new TreeSet<>(registry.binder.configured(kind));
        unused.removeAll(used);
        unused.remove(DEFAULT);
        return unused.stream().map(name -> describe(kind, name, NearestNames.nearest(name, used)));
    }

    private static String describe(ConfiguredKind<?, ?, ?> kind, String name, List<String> near) {
        return "The " + kind.id() + " policy '" + name + "' is used by no method: '"
                + PropertyNames.of(kind.prefix(), name)
                + "' has no effect, unless code takes it from the ResilienceRegistry. "
                + (near.isEmpty() ? "" : "Did you mean '" + String.join("' or '", near) + "'? ")
                + "Remove it, or name it "
                + kind.namedBy();
    }

    /** The policies of methods and everything that these start from. */
    private Set<String> used(ConfiguredKind<?, ?, ?> kind) {
        return registry.live().ofKind(kind.id()).keySet().stream()
                .filter(name -> !registry.live().usedBy(kind.id(), name).isEmpty())
                .flatMap(name -> registry.binder.ancestry(kind, name).stream())
                .collect(Collectors.toSet());
    }

    /** Whether Spring Cloud may ask for policies of the kind by any id. */
    private boolean isUsedBySpringCloud(ConfiguredKind<?, ?, ?> kind) {
        return OF_SPRING_CLOUD.contains(kind.id()) && SPRING_CLOUD.stream().anyMatch(beans::containsBean);
    }

    /** Whether a bean that this library did not define got the registry. */
    private boolean isUsedByCode() {
        return Arrays.stream(beans.getDependentBeans(REGISTRY))
                .anyMatch(user -> !beans.containsBeanDefinition(user) || !isOwn(beans.getMergedBeanDefinition(user)));
    }

    private static boolean isOwn(BeanDefinition bean) {
        String definedBy = bean.getFactoryBeanName() == null ? bean.getBeanClassName() : bean.getFactoryBeanName();
        return definedBy != null && definedBy.startsWith(OWN_CONFIGURATION);
    }
}
