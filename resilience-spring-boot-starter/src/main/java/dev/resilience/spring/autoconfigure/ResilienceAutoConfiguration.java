package dev.resilience.spring.autoconfigure;

import dev.resilience.context.ContextCarrier;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.ProtectedBeanPostProcessor;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.StartupChecks;
import dev.resilience.spring.bulkhead.BulkheadKind;
import dev.resilience.spring.circuitbreaker.CircuitBreakerKind;
import dev.resilience.spring.client.HttpClientKind;
import dev.resilience.spring.context.ContextSnapshotCarrier;
import dev.resilience.spring.fallback.FallbackKind;
import dev.resilience.spring.hedge.HedgeKind;
import dev.resilience.spring.idempotency.IdempotencyKind;
import dev.resilience.spring.kind.CallObservations;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.observation.ObservedMethods;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.ratelimit.RateLimitKind;
import dev.resilience.spring.registry.DefaultResilienceRegistry;
import dev.resilience.spring.registry.UnusedPolicies;
import dev.resilience.spring.retry.RetryBudgetKind;
import dev.resilience.spring.retry.RetryKind;
import dev.resilience.spring.timelimit.TimeLimitKind;
import dev.resilience.spring.web.DeadlineHeader;
import dev.resilience.time.TimeSource;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.thread.Threading;
import org.springframework.context.ApplicationEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Fallback;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Protects annotated methods. Most of the library is created by {@link ResilienceRuntime}. In all configurations a parameter
 * has the name of its bean: Spring looks for a name first, and through all beans of the application otherwise.
 */
@AutoConfiguration
@Conditional(ResilienceAutoConfiguration.OnEnabled.class)
@Import({AopAutoConfiguration.class, ResilienceStoreConfiguration.class})
public final class ResilienceAutoConfiguration {

    private static final String REFRESHED = "org.springframework.cloud.context.environment.EnvironmentChangeEvent";

    /** The library's own kinds, in the order in which they are shown; no beans, because each bean takes time at startup. */
    private static List<Kind<?, ?>> ofLibrary(boolean hasVirtualThreads) {
        return List.of(
                new RetryKind(),
                new CircuitBreakerKind(),
                new BulkheadKind(),
                new RateLimitKind(),
                new TimeLimitKind(hasVirtualThreads),
                new HedgeKind(),
                new IdempotencyKind(),
                new RetryBudgetKind(),
                new FallbackKind(),
                new HttpClientKind());
    }

    @Bean(ResilienceRuntime.KINDS)
    @Lazy
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Kinds resilienceKinds(Environment environment, ObjectProvider<Kind<?, ?>> ofApplication) {
        List<Kind<?, ?>> kinds = new ArrayList<>(ofLibrary(Threading.VIRTUAL.isActive(environment)));
        ofApplication.orderedStream().forEach(kinds::add);
        return new Kinds(kinds);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ResilienceRuntime resilienceRuntime(ConfigurableApplicationContext application) {
        return new ResilienceRuntime(application);
    }

    /** Created before almost every other bean, so it takes nothing but what is configured. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ResilienceAdvisor resilienceAdvisor(ResilienceRuntime resilienceRuntime) {
        return resilienceRuntime.advisor;
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ProtectedBeanPostProcessor resilienceProtectedBeanPostProcessor(
            ResilienceRuntime resilienceRuntime, ObjectProvider<StartupChecks> resilienceStartupChecks) {
        return new ProtectedBeanPostProcessor(
                resilienceRuntime.advisor, resilienceRuntime.warnings, resilienceStartupChecks);
    }

    /** What is configured is checked before later beans can fail, even if no method needs it. */
    @Bean
    @Lazy(false)
    static StartupChecks resilienceStartupChecks(
            ConfigurableListableBeanFactory beans,
            ResilienceRuntime resilienceRuntime,
            ObjectProvider<UnusedPolicies> resilienceUnusedPolicies) {
        if (resilienceRuntime.isNeeded()) {
            resilienceRuntime.registry();
        }
        return new StartupChecks(
                beans,
                resilienceRuntime.advisor,
                resilienceRuntime.warnings,
                resilienceRuntime::isNeeded,
                resilienceRuntime::start,
                () -> resilienceUnusedPolicies.ifAvailable(UnusedPolicies::warn));
    }

    @Bean
    StartupWarnings resilienceStartupWarnings(ResilienceRuntime resilienceRuntime) {
        return resilienceRuntime.warnings;
    }

    /** A context below this one may have its own. */
    @Bean
    @Fallback
    @ConditionalOnMissingBean
    TimeSource resilienceTimeSource() {
        return TimeSource.system();
    }

    /** Lets calls on worker threads see what their callers' threads see, as far as the application has it. */
    @Bean
    @Lazy
    ContextCarrier resilienceContextCarrier() {
        return new ContextSnapshotCarrier();
    }

    /** For requests that the application makes. */
    @Bean
    @Lazy
    DeadlineHeader resilienceDeadlineHeader(ResilienceRuntime resilienceRuntime) {
        ResilienceProperties.Deadline settings = resilienceRuntime.values().deadline();
        return new DeadlineHeader(settings.header(), settings.margin());
    }

    @Bean(ResilienceRuntime.REGISTRY)
    @Lazy
    DefaultResilienceRegistry resilienceRegistry(ResilienceRuntime resilienceRuntime) {
        return resilienceRuntime.create();
    }

    /** Ends with the registry, after what uses that. */
    @Bean(destroyMethod = "")
    @Lazy
    LiveRegistry resilienceLiveRegistry(DefaultResilienceRegistry resilienceRegistry) {
        return resilienceRegistry.live();
    }

    /** An application need not have Micrometer, so no signature names its types. */
    @Bean
    @Lazy
    @ConditionalOnClass(name = "io.micrometer.observation.ObservationRegistry")
    static CallObservations resilienceCallObservations(ConfigurableListableBeanFactory beans) {
        return new ObservedMethods(beans);
    }

    /** Spring Cloud's event is known by its name, because an application may be without Spring Cloud. */
    @Bean
    @ConditionalOnClass(name = REFRESHED)
    static ApplicationListener<ApplicationEvent> resilienceRefreshListener(ResilienceRuntime resilienceRuntime) {
        return event -> {
            if (event.getClass().getName().equals(REFRESHED)) {
                resilienceRuntime.refresh();
            }
        };
    }

    /**
     * Matches unless {@code resilience.enabled} is false. A value that is neither true nor false must not switch off quietly:
     * it fails the startup later, with all other problems.
     */
    static final class OnEnabled extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean enabled =
                    CheckedProperties.read(context.getEnvironment(), "resilience.enabled", Boolean.class, true);
            return new ConditionOutcome(enabled, ConditionMessage.of("resilience.enabled is " + enabled));
        }
    }
}
