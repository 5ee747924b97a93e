package dev.resilience.spring.autoconfigure;

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

/**
 * The one advice, what it does for each method, and what is checked of the methods at startup. What is made before all
 * other beans gets beans by the names of its parameters: Spring looks for a name first, and through all beans otherwise.
 */
@Configuration(proxyBeanMethods = false)
final class ResilienceAdviceConfiguration {

    /** Made before almost every other bean, so it takes nothing but the environment and a provider. */
    @Bean(destroyMethod = "end")
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ResilienceAdvisor resilienceAdvisor(
            Environment environment,
            ObjectProvider<PlanFactory> planFactory,
            ObjectProvider<Kinds> kinds,
            StartupMistakes resilienceStartupMistakes) {
        boolean proxyTargetClass = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
        ResilienceProperties properties = GeneralProperties.read(environment);
        ProtectedMethods methods = properties.adviceMode() == AdviceMode.ASPECTJ
                ? ProtectedMethods.woven(resilienceStartupMistakes, kinds::getObject)
                : new ProtectedMethods(proxyTargetClass, resilienceStartupMistakes, kinds::getObject);
        return new ResilienceAdvisor(methods, planFactory, resilienceStartupMistakes, properties.adviceOrder());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static IdempotentBeans resilienceIdempotentBeans(ResilienceAdvisor resilienceAdvisor) {
        return new IdempotentBeans(resilienceAdvisor);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static UnprotectedBeans resilienceUnprotectedBeans(
            ResilienceAdvisor resilienceAdvisor, ObjectProvider<StartupCheck> check) {
        return new UnprotectedBeans(resilienceAdvisor, check);
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static StartupMistakes resilienceStartupMistakes() {
        return new StartupMistakes();
    }

    @Bean
    static StartupCheck resilienceStartupCheck(
            ConfigurableListableBeanFactory beans,
            ResilienceAdvisor advisor,
            StartupWarnings warnings,
            StartupMistakes mistakes) {
        return new StartupCheck(beans, new ApplicationClasses(beans), advisor, warnings, mistakes);
    }

    @Bean
    @Lazy(false)
    static ClassificationReport resilienceClassificationReport(StartupCheck methods, LiveRegistry registry) {
        return new ClassificationReport(methods::run, registry);
    }

    @Bean
    KnownKeys resilienceKnownKeys(Kinds kinds) {
        return new KnownKeys(kinds.ofPolicies());
    }

    /** What the annotations of all beans say of policies, before the policies are made. */
    @Bean
    AnnotatedPolicies resilienceAnnotatedPolicies(
            KnownKeys known,
            Kinds kinds,
            ConfigurableListableBeanFactory beans,
            ResilienceAdvisor advisor,
            StartupMistakes mistakes) {
        AnnotatedPolicies policies =
                new AnnotatedPolicies((kind, key) -> known.find(kind, key) != null, new EmbeddedValueResolver(beans));
        new PolicyUses(beans, advisor.methods(), kinds).collect(policies, mistakes);
        return policies;
    }

    @Bean
    NamedPolicies resilienceNamedPolicies(
            LiveRegistry registry, PolicyNames names, AnnotatedPolicies annotated, LatePolicies late) {
        return new NamedPolicies(registry, names, annotated, late);
    }

    @Bean
    LayerOrder resilienceLayerOrder(Environment environment, Kinds kinds, StartupMistakes mistakes) {
        return GeneralProperties.order(environment, kinds, mistakes);
    }

    /** Never lazy: what is configured is checked at startup, even if no method needs it. */
    @Bean
    @Lazy(false)
    PlanFactory resiliencePlanFactory(
            LiveRegistry registry,
            Kinds kinds,
            ConfigurableListableBeanFactory beans,
            NamedPolicies policies,
            LayerOrder order,
            TimeSource time,
            AsyncCalls asyncCalls,
            StartupWarnings warnings) {
        return new PlanFactory(registry, kinds, policies, order, beans, time, asyncCalls.carrier(), warnings);
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
