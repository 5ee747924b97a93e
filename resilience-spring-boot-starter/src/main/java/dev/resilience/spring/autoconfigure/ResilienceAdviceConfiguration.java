package dev.resilience.spring.autoconfigure;

import dev.resilience.context.ContextCarrier;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.ArgumentValidation;
import dev.resilience.spring.aop.IdempotentBeans;
import dev.resilience.spring.aop.LayerOrder;
import dev.resilience.spring.aop.PlanFactory;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.check.ApplicationClasses;
import dev.resilience.spring.aop.check.StartupCheck;
import dev.resilience.spring.aop.check.UnprotectedBeans;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.policy.AnnotatedPolicies;
import dev.resilience.spring.aop.policy.NamedPolicies;
import dev.resilience.spring.aop.policy.PolicyUses;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.kind.LatePolicies;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.GeneralProperties;
import dev.resilience.spring.properties.KnownKeys;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.properties.unknown.PolicyNames;
import dev.resilience.spring.registry.AsyncCalls;
import dev.resilience.spring.retry.ClassificationReport;
import dev.resilience.time.TimeSource;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** The one advice, what it does for each method, and what is checked of the methods at startup. */
@Configuration(proxyBeanMethods = false)
final class ResilienceAdviceConfiguration {

    /** Made before almost every other bean, so it takes nothing but the environment and a provider. */
    @Bean(destroyMethod = "end")
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ResilienceAdvisor resilienceAdvisor(
            Environment environment,
            ObjectProvider<PlanFactory> resiliencePlanFactory,
            ObjectProvider<Kinds> resilienceKinds,
            StartupMistakes resilienceStartupMistakes) {
        boolean proxyTargetClass = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
        ResilienceProperties properties = GeneralProperties.read(environment);
        ProtectedMethods methods = properties.adviceMode() == AdviceMode.ASPECTJ
                ? ProtectedMethods.woven(resilienceStartupMistakes, resilienceKinds::getObject)
                : new ProtectedMethods(proxyTargetClass, resilienceStartupMistakes, resilienceKinds::getObject);
        return new ResilienceAdvisor(
                methods, resiliencePlanFactory, resilienceStartupMistakes, properties.adviceOrder());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static IdempotentBeans resilienceIdempotentBeans(ResilienceAdvisor resilienceAdvisor) {
        return new IdempotentBeans(resilienceAdvisor);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static UnprotectedBeans resilienceUnprotectedBeans(
            ResilienceAdvisor resilienceAdvisor, ObjectProvider<StartupCheck> resilienceStartupCheck) {
        return new UnprotectedBeans(resilienceAdvisor, resilienceStartupCheck);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StartupMistakes resilienceStartupMistakes() {
        return new StartupMistakes();
    }

    @Bean
    static StartupCheck resilienceStartupCheck(
            ConfigurableListableBeanFactory beans,
            ResilienceAdvisor resilienceAdvisor,
            StartupWarnings resilienceStartupWarnings,
            StartupMistakes resilienceStartupMistakes) {
        return new StartupCheck(
                beans,
                new ApplicationClasses(beans),
                resilienceAdvisor,
                resilienceStartupWarnings,
                resilienceStartupMistakes);
    }

    @Bean
    @Lazy(false)
    static ClassificationReport resilienceClassificationReport(
            StartupCheck resilienceStartupCheck, LiveRegistry resilienceLiveRegistry) {
        return new ClassificationReport(resilienceStartupCheck::run, resilienceLiveRegistry);
    }

    @Bean
    KnownKeys resilienceKnownKeys(Kinds resilienceKinds) {
        return new KnownKeys(resilienceKinds.ofPolicies());
    }

    /** What the annotations of all beans say of policies, before the policies are made. */
    @Bean
    AnnotatedPolicies resilienceAnnotatedPolicies(
            KnownKeys resilienceKnownKeys,
            Kinds resilienceKinds,
            ConfigurableListableBeanFactory beans,
            ResilienceAdvisor resilienceAdvisor,
            StartupMistakes resilienceStartupMistakes) {
        AnnotatedPolicies policies = new AnnotatedPolicies(
                (kind, key) -> resilienceKnownKeys.find(kind, key) != null, new EmbeddedValueResolver(beans));
        new PolicyUses(beans, resilienceAdvisor.methods(), resilienceKinds)
                .collect(policies, resilienceStartupMistakes);
        return policies;
    }

    @Bean
    NamedPolicies resilienceNamedPolicies(
            LiveRegistry resilienceLiveRegistry,
            PolicyNames resiliencePolicyNames,
            AnnotatedPolicies resilienceAnnotatedPolicies,
            LatePolicies resilienceRegistryFactory) {
        return new NamedPolicies(
                resilienceLiveRegistry, resiliencePolicyNames, resilienceAnnotatedPolicies, resilienceRegistryFactory);
    }

    @Bean
    LayerOrder resilienceLayerOrder(
            Environment environment, Kinds resilienceKinds, StartupMistakes resilienceStartupMistakes) {
        return GeneralProperties.order(environment, resilienceKinds, resilienceStartupMistakes);
    }

    @Bean
    AsyncCalls resilienceAsyncCalls(
            CheckedProperties resilienceCheckedProperties, ObjectProvider<ContextCarrier> carriers) {
        Integer maxThreads = resilienceCheckedProperties.written().async().maxThreads();
        boolean canBe = maxThreads == null
                || resilienceCheckedProperties.requirePositive(maxThreads, "resilience.async.max-threads");
        return new AsyncCalls(
                carriers.orderedStream().reduce(ContextCarrier.standard(), ContextCarrier::and),
                canBe ? maxThreads : null);
    }

    /** Never lazy: what is configured is checked at startup, even if no method needs it. */
    @Bean
    @Lazy(false)
    PlanFactory resiliencePlanFactory(
            LiveRegistry resilienceLiveRegistry,
            Kinds resilienceKinds,
            ConfigurableListableBeanFactory beans,
            NamedPolicies resilienceNamedPolicies,
            LayerOrder resilienceLayerOrder,
            TimeSource time,
            AsyncCalls resilienceAsyncCalls,
            StartupWarnings resilienceStartupWarnings) {
        return new PlanFactory(
                resilienceLiveRegistry,
                resilienceKinds,
                resilienceNamedPolicies,
                resilienceLayerOrder,
                beans,
                time,
                resilienceAsyncCalls.carrier(),
                resilienceStartupWarnings);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(name = "jakarta.validation.Validator")
    static class ValidationConfiguration {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static ArgumentValidation resilienceArgumentValidation() {
            return new ArgumentValidation();
        }
    }
}
