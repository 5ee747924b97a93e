package dev.resilience.spring.autoconfigure;

import dev.resilience.event.ResilienceListener;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.fault.HttpFailure;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.LayerOrder;
import dev.resilience.spring.aop.policy.AnnotatedPolicies;
import dev.resilience.spring.autoconfigure.condition.OnEnabled;
import dev.resilience.spring.fault.LibraryFailures;
import dev.resilience.spring.fault.LibraryFaults;
import dev.resilience.spring.fault.RestClientFailures;
import dev.resilience.spring.fault.TransactionFaults;
import dev.resilience.spring.fault.WebClientFailures;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.lifecycle.BulkheadDrainLifecycle;
import dev.resilience.spring.lifecycle.BulkheadStopLifecycle;
import dev.resilience.spring.lifecycle.WaitsResume;
import dev.resilience.spring.lifecycle.WaitsStop;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.GeneralProperties;
import dev.resilience.spring.properties.KnownKeys;
import dev.resilience.spring.properties.PoliciesInCode;
import dev.resilience.spring.properties.PolicyBeans;
import dev.resilience.spring.properties.PolicyBinder;
import dev.resilience.spring.properties.Variables;
import dev.resilience.spring.properties.unknown.KeysOfOtherStores;
import dev.resilience.spring.properties.unknown.PolicyNames;
import dev.resilience.spring.properties.unknown.Resilience4jKeys;
import dev.resilience.spring.properties.unknown.Spellings;
import dev.resilience.spring.properties.unknown.UnknownKeys;
import dev.resilience.spring.registry.AsyncCalls;
import dev.resilience.spring.registry.ParentPolicies;
import dev.resilience.spring.registry.PolicyChanges;
import dev.resilience.spring.registry.RegistryFactory;
import dev.resilience.time.TimeSource;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.context.annotation.Import;
import org.springframework.core.env.Environment;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/**
 * Protects annotated methods: the live objects, the plans and the one advice. In all configurations a parameter has the
 * name of its bean: Spring looks for a name first, and through all beans of the application otherwise.
 */
@AutoConfiguration
@Conditional(OnEnabled.class)
@Import({
    ResilienceKindsConfiguration.class,
    ResilienceAdviceConfiguration.class,
    ResilienceIdempotencyConfiguration.class,
    ResilienceDeadLetterConfiguration.class,
    ResilienceDeadlineConfiguration.class
})
public final class ResilienceAutoConfiguration {

    @Bean
    StartupWarnings resilienceStartupWarnings() {
        return new StartupWarnings();
    }

    @Bean
    @ConditionalOnMissingBean
    TimeSource resilienceTimeSource() {
        return TimeSource.system();
    }

    @Bean
    EventPublisher resilienceEvents() {
        return new EventPublisher();
    }

    @Bean
    CheckedProperties resilienceCheckedProperties(Environment environment, StartupMistakes resilienceStartupMistakes) {
        return new CheckedProperties(environment, resilienceStartupMistakes);
    }

    /** Listeners may need any other bean, so they are asked for when all are there. */
    @Bean
    static SmartInitializingSingleton resilienceListeners(
            EventPublisher resilienceEvents, ObjectProvider<ResilienceListener> listeners) {
        return () -> listeners.orderedStream().forEach(resilienceEvents::add);
    }

    @Bean
    CompositeFaultClassifier resilienceFaults(
            ObjectProvider<FaultClassifier> custom, ObjectProvider<HttpFailure.Reader> httpReaders) {
        FaultClassifier ofApplication = custom.getIfAvailable(() -> failure -> Fault.UNKNOWN);
        FaultClassifier ofLibraries = new LibraryFaults();
        List<HttpFailure.Reader> readers = httpReaders.orderedStream().toList();
        CompositeFaultClassifier faults = new CompositeFaultClassifier(ofApplication, List.of(ofLibraries), readers);
        return new CompositeFaultClassifier(
                ofApplication, List.of(ofLibraries, new TransactionFaults(faults)), readers);
    }

    @Bean
    LibraryFailures resilienceLibraryFailures() {
        return new LibraryFailures();
    }

    /** Finds the mistakes in keys and names, before policies are made of them. */
    @Bean
    PolicyNames resiliencePolicyNames(
            Environment environment,
            Kinds resilienceKinds,
            KnownKeys resilienceKnownKeys,
            AnnotatedPolicies resilienceAnnotatedPolicies,
            ApplicationContext application,
            StartupMistakes resilienceStartupMistakes,
            StartupWarnings resilienceStartupWarnings) {
        PolicyBeans beans = new PolicyBeans(application);
        beans.check(resilienceKinds.ofPolicies(), resilienceStartupMistakes);
        ConfiguredProperties keys = GeneralProperties.keys(
                environment,
                resilienceKnownKeys,
                new PoliciesInCode(resilienceKinds.ofPolicies(), resilienceAnnotatedPolicies, beans));
        UnknownKeys unknown = new UnknownKeys(keys, keys.known());
        unknown.collect(resilienceStartupMistakes);
        unknown.warn(resilienceStartupWarnings);
        PolicyNames names = new PolicyNames(environment, keys, unknown, resilienceStartupMistakes);
        new Spellings(keys, names::breaks).collect(resilienceStartupMistakes);
        GeneralProperties.check(environment, resilienceStartupMistakes);
        return names;
    }

    @Bean
    RegistryFactory resilienceRegistryFactory(
            Environment environment,
            Kinds resilienceKinds,
            CompositeFaultClassifier resilienceFaults,
            TimeSource time,
            EventPublisher resilienceEvents,
            IdempotencyStore store,
            AsyncCalls resilienceAsyncCalls,
            PolicyNames resiliencePolicyNames,
            StartupMistakes resilienceStartupMistakes,
            StartupWarnings resilienceStartupWarnings,
            ApplicationContext application) {
        KeysOfOtherStores.warn(resiliencePolicyNames.keys(), store, resilienceStartupWarnings);
        PolicyBinder binder = new PolicyBinder(
                resiliencePolicyNames.keys(),
                new PropertySourcesPlaceholdersResolver(environment),
                resilienceStartupMistakes,
                resiliencePolicyNames::breaks);
        return new RegistryFactory(
                resilienceKinds,
                binder,
                resilienceFaults,
                time,
                resilienceEvents,
                resilienceAsyncCalls,
                application,
                resilienceStartupWarnings,
                resilienceStartupMistakes,
                resiliencePolicyNames);
    }

    @Bean
    LiveRegistry resilienceLiveRegistry(
            Environment environment,
            RegistryFactory resilienceRegistryFactory,
            KnownKeys resilienceKnownKeys,
            StartupWarnings resilienceStartupWarnings,
            ApplicationContext application) {
        ParentPolicies.warn(application, resilienceStartupWarnings, ResilienceAutoConfiguration.class);
        LiveRegistry registry = resilienceRegistryFactory.live();
        Variables.warn(
                environment,
                resilienceKnownKeys,
                resilienceRegistryFactory.binder().names(),
                resilienceStartupWarnings);
        Resilience4jKeys.warn(environment, resilienceStartupWarnings);
        return registry;
    }

    @Bean
    PolicyChanges resiliencePolicyChanges(TimeSource time, EventPublisher resilienceEvents) {
        return new PolicyChanges(time, resilienceEvents);
    }

    /** What uses it is destroyed before the live objects end. */
    @Bean
    @DependsOn("resilienceLiveRegistry")
    ResilienceRegistry resilienceRegistry(
            RegistryFactory resilienceRegistryFactory,
            PolicyChanges resiliencePolicyChanges,
            LayerOrder resilienceLayerOrder,
            CheckedProperties resilienceCheckedProperties) {
        int mostCreated = resilienceCheckedProperties.written().registry().maxCreated();
        resilienceCheckedProperties.requirePositive(mostCreated, "resilience.registry.max-created");
        return resilienceRegistryFactory.registry(resiliencePolicyChanges, resilienceLayerOrder.kinds(), mostCreated);
    }

    @Bean
    WaitsStop resilienceWaitsStop(LiveRegistry resilienceLiveRegistry, ApplicationContext application) {
        return new WaitsStop(resilienceLiveRegistry, application);
    }

    @Bean
    WaitsResume resilienceWaitsResume(LiveRegistry resilienceLiveRegistry) {
        return new WaitsResume(resilienceLiveRegistry);
    }

    @Bean
    BulkheadDrainLifecycle resiliencePoolsShutdown(LiveRegistry resilienceLiveRegistry) {
        return new BulkheadDrainLifecycle(resilienceLiveRegistry);
    }

    @Bean
    BulkheadStopLifecycle resiliencePoolsStop(LiveRegistry resilienceLiveRegistry) {
        return new BulkheadStopLifecycle(resilienceLiveRegistry);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClientResponseException.class)
    static class RestClientConfiguration {

        @Bean
        RestClientFailures resilienceRestClientFailures() {
            return new RestClientFailures();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClientResponseException.class)
    static class WebClientConfiguration {

        @Bean
        WebClientFailures resilienceWebClientFailures() {
            return new WebClientFailures();
        }
    }
}
