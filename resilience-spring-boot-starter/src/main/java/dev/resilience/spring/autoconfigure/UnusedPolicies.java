package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.StartupCheck;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;

/**
 * Warns of policies that are written and that no method uses, directly or by {@code extends}: most of them are misspelt.
 * Says nothing where methods may use them unseen: beans of the application take policies from the registry, or tests
 * have put mocks in the place of beans.
 */
final class UnusedPolicies implements SmartInitializingSingleton {

    private static final String DEFAULT = "default";
    private static final String OWN_CONFIGURATION = UnusedPolicies.class.getPackageName() + ".Resilience";

    private final StartupCheck methods;
    private final ResilienceRegistry registry;
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;
    private final StartupWarnings warnings;

    UnusedPolicies(
            StartupCheck methods,
            ResilienceRegistry registry,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            StartupWarnings warnings) {
        this.methods = methods;
        this.registry = registry;
        this.beans = beans;
        this.environment = environment;
        this.warnings = warnings;
    }

    @Override
    public void afterSingletonsInstantiated() {
        methods.run();
        if (methods.mayMissMethods() || isUsedByCode()) {
            return;
        }
        ConfiguredKeys keys = GeneralProperties.keys(environment);
        for (PolicyKind kind : PolicyKind.values()) {
            warn(kind, keys.policies(kind));
        }
    }

    private void warn(PolicyKind kind, Map<String, ConfigurationPropertyName> written) {
        Set<String> used = used(kind, written);
        Set<String> unused = new TreeSet<>(written.keySet());
        unused.removeAll(used);
        unused.remove(DEFAULT);
        for (String name : unused) {
            List<String> near = NearestNames.nearest(name, used);
            warnings.add("The " + kind.id() + " policy '" + name + "' is used by no method: '" + written.get(name)
                    + "' has no effect, unless code takes it from the ResilienceRegistry. "
                    + (near.isEmpty() ? "" : "Did you mean '" + String.join("' or '", near) + "'? ")
                    + "Remove it, or name it "
                    + (kind == PolicyKind.RETRY_BUDGET ? "as a policy's budget" : "in an annotation"));
        }
    }

    /** The policies of methods and everything that these start from. */
    private Set<String> used(PolicyKind kind, Map<String, ConfigurationPropertyName> written) {
        Set<String> used = new HashSet<>();
        for (String name : registry.ofKind(kind).keySet()) {
            if (!registry.usedBy(kind, name).isEmpty()) {
                String link = name;
                while (link != null && used.add(link)) {
                    link = parent(written.get(link));
                }
            }
        }
        return used;
    }

    private @Nullable String parent(@Nullable ConfigurationPropertyName policy) {
        return policy == null
                ? null
                : Binder.get(environment)
                        .bind(policy.append("extends"), Bindable.of(String.class))
                        .orElse(null);
    }

    /** Whether a bean that this library did not define takes policies from the registry. */
    private boolean isUsedByCode() {
        return Arrays.stream(beans.getBeanNamesForType(ResilienceRegistry.class, true, false))
                .flatMap(name -> Arrays.stream(beans.getDependentBeans(name)))
                .filter(beans::containsBeanDefinition)
                .map(beans::getBeanDefinition)
                .map(bean -> bean.getFactoryBeanName() == null ? bean.getBeanClassName() : bean.getFactoryBeanName())
                .anyMatch(definedBy -> definedBy == null || !definedBy.startsWith(OWN_CONFIGURATION));
    }
}
