package dev.resilience.spring.registry;

import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.check.ApplicationClasses;
import dev.resilience.spring.aop.check.StartupCheck;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.GeneralProperties;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/**
 * Warns of policies that are written and that no method uses, directly or by {@code extends}: most of them are misspelt.
 * Says nothing where they may be used unseen: a bean of the application can take policies from the registry, in whatever
 * way, or tests have put mocks in the place of beans.
 */
public final class UnusedPolicies implements SmartInitializingSingleton {

    private static final String DEFAULT = "default";
    private static final String REGISTRY = ResilienceRegistry.class.getName().replace('.', '/');
    private static final String OWN_CONFIGURATION =
            ResilienceRegistry.class.getPackageName() + ".autoconfigure.Resilience";

    private final StartupCheck methods;
    /** The kinds that Spring Cloud's circuit breakers are made of, and the beans that make them. */
    private static final Set<String> OF_SPRING_CLOUD = Set.of("circuit-breaker", "time-limit");

    private static final Set<String> SPRING_CLOUD =
            Set.of("resilienceCircuitBreakerFactory", "reactiveResilienceCircuitBreakerFactory");

    private final LiveRegistry registry;
    private final Kinds kinds;
    private final ConfigurableListableBeanFactory beans;
    private final Environment environment;
    private final StartupWarnings warnings;

    public UnusedPolicies(
            StartupCheck methods,
            LiveRegistry registry,
            Kinds kinds,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            StartupWarnings warnings) {
        this.methods = methods;
        this.registry = registry;
        this.kinds = kinds;
        this.beans = beans;
        this.environment = environment;
        this.warnings = warnings;
    }

    @Override
    public void afterSingletonsInstantiated() {
        methods.run();
        if (methods.mayMissMethods()) {
            return;
        }
        ConfiguredProperties keys = GeneralProperties.keys(environment, kinds.ofPolicies());
        List<String> found = kinds.configured().stream()
                .filter(kind -> !isUsedBySpringCloud(kind))
                .flatMap(kind -> unused(kind, keys))
                .toList();
        if (!found.isEmpty() && !isUsedByCode()) {
            found.forEach(warnings::add);
        }
    }

    private Stream<String> unused(ConfiguredKind<?, ?, ?> kind, ConfiguredProperties keys) {
        Map<String, ConfigurationPropertyName> written = keys.policies(kind);
        Set<String> used = used(kind, written, keys);
        Set<String> unused = new TreeSet<>(written.keySet());
        unused.removeAll(used);
        unused.remove(DEFAULT);
        return unused.stream().map(name -> describe(kind, name, written.get(name), NearestNames.nearest(name, used)));
    }

    private static String describe(
            ConfiguredKind<?, ?, ?> kind, String name, @Nullable ConfigurationPropertyName written, List<String> near) {
        return "The " + kind.id() + " policy '" + name + "' is used by no method: '" + written
                + "' has no effect, unless code takes it from the ResilienceRegistry. "
                + (near.isEmpty() ? "" : "Did you mean '" + String.join("' or '", near) + "'? ")
                + "Remove it, or name it "
                + kind.namedBy();
    }

    /** The policies of methods and everything that these start from. */
    private Set<String> used(
            PolicyKind kind, Map<String, ConfigurationPropertyName> written, ConfiguredProperties keys) {
        Set<String> used = new HashSet<>();
        for (String name : registry.ofKind(kind.id()).keySet()) {
            if (!registry.usedBy(kind.id(), name).isEmpty()) {
                String link = name;
                while (link != null && used.add(link)) {
                    link = parent(written.get(link), keys);
                }
            }
        }
        return used;
    }

    private @Nullable String parent(@Nullable ConfigurationPropertyName policy, ConfiguredProperties keys) {
        return policy == null
                ? null
                : keys.text(policy.append("extends"), new PropertySourcesPlaceholdersResolver(environment));
    }

    /** Whether Spring Cloud may ask for policies of the kind by any id. */
    private boolean isUsedBySpringCloud(PolicyKind kind) {
        return OF_SPRING_CLOUD.contains(kind.id()) && SPRING_CLOUD.stream().anyMatch(beans::containsBean);
    }

    /** Whether the class of a bean that this library did not define has a place that names the registry. */
    private boolean isUsedByCode() {
        ApplicationClasses application = new ApplicationClasses(beans);
        return Arrays.stream(beans.getBeanDefinitionNames())
                .filter(name -> !isOwn(beans.getMergedBeanDefinition(name)))
                .flatMap(this::type)
                .flatMap(type -> application.hierarchy(ClassUtils.getUserClass(type)).stream())
                .flatMap(UnusedPolicies::withInnerClasses)
                .filter(type -> !Proxy.isProxyClass(type) && !type.isHidden()) // they have no code of their own
                .distinct()
                .anyMatch(UnusedPolicies::namesRegistry);
    }

    /** The type of a bean, where it is known; makes no bean that is not there. */
    private Stream<Class<?>> type(String name) {
        Object bean = beans.getSingleton(name);
        Class<?> type = bean == null ? beans.getType(name, false) : AopUtils.getTargetClass(bean);
        return type == null ? Stream.empty() : Stream.of(type);
    }

    private static boolean isOwn(BeanDefinition bean) {
        String definedBy = bean.getFactoryBeanName() == null ? bean.getBeanClassName() : bean.getFactoryBeanName();
        return definedBy != null && definedBy.startsWith(OWN_CONFIGURATION);
    }

    private static Stream<Class<?>> withInnerClasses(Class<?> type) {
        return Stream.concat(
                Stream.of(type),
                Arrays.stream(type.getNestMembers())
                        .filter(member -> member.getName().startsWith(type.getName() + "$")));
    }

    /** As a parameter, a type argument or a literal: its class file has the name in any case. */
    private static boolean namesRegistry(Class<?> type) {
        try (InputStream file = type.getResourceAsStream("/" + type.getName().replace('.', '/') + ".class")) {
            return file == null || new String(file.readAllBytes(), StandardCharsets.ISO_8859_1).contains(REGISTRY);
        } catch (IOException unreadable) {
            return true; // a warning that is not true is worse than none
        }
    }
}
