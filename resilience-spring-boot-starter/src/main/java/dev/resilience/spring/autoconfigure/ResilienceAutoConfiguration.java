package dev.resilience.spring.autoconfigure;

import dev.resilience.context.ContextCarrier;
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
import dev.resilience.spring.registry.PolicyChanges;
import dev.resilience.spring.registry.RegistryFactory;
import dev.resilience.time.TimeSource;
import java.util.List;
import org.jspecify.annotations.Nullable;
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

/** Protects annotated methods: the live objects, the plans and the one advice. */
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
    CheckedProperties resilienceProperties(Environment environment, StartupMistakes mistakes) {
        return new CheckedProperties(environment, mistakes);
    }

    /** Listeners may need any other bean, so they are asked for when all are there. */
    @Bean
    static SmartInitializingSingleton resilienceListeners(
            EventPublisher events, ObjectProvider<ResilienceListener> listeners) {
        return () -> listeners.orderedStream().forEach(events::add);
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
            Kinds kinds,
            KnownKeys known,
            AnnotatedPolicies annotated,
            ApplicationContext application,
            StartupMistakes mistakes,
            StartupWarnings warnings) {
        PolicyBeans beans = new PolicyBeans(application);
        beans.check(kinds.ofPolicies(), mistakes);
        ConfiguredProperties keys =
                GeneralProperties.keys(environment, known, new PoliciesInCode(kinds.ofPolicies(), annotated, beans));
        UnknownKeys unknown = new UnknownKeys(keys, keys.known());
        unknown.collect(mistakes);
        unknown.warn(warnings);
        PolicyNames names = new PolicyNames(environment, keys, unknown, mistakes);
        new Spellings(keys, names::breaks).collect(mistakes);
        GeneralProperties.check(environment, mistakes);
        return names;
    }

    @Bean
    RegistryFactory resilienceRegistryFactory(
            Environment environment,
            Kinds kinds,
            CompositeFaultClassifier faults,
            TimeSource time,
            EventPublisher events,
            IdempotencyStore store,
            AsyncCalls asyncCalls,
            PolicyNames names,
            StartupMistakes mistakes,
            StartupWarnings warnings,
            ApplicationContext application) {
        KeysOfOtherStores.warn(names.keys(), store, warnings);
        PolicyBinder binder = new PolicyBinder(
                names.keys(), new PropertySourcesPlaceholdersResolver(environment), mistakes, names::breaks);
        return new RegistryFactory(
                kinds, binder, faults, time, events, asyncCalls, application, warnings, mistakes, names);
    }

    @Bean
    LiveRegistry resilienceLiveRegistry(
            Environment environment,
            RegistryFactory factory,
            KnownKeys known,
            StartupWarnings warnings,
            ApplicationContext application) {
        warnOfParent(application.getParent(), warnings);
        LiveRegistry registry = factory.live();
        Variables.warn(environment, known, factory.binder().names(), warnings);
        Resilience4jKeys.warn(environment, warnings);
        return registry;
    }

    @Bean
    PolicyChanges resiliencePolicyChanges(TimeSource time, EventPublisher events) {
        return new PolicyChanges(time, events);
    }

    /** What uses it is destroyed before the live objects end. */
    @Bean
    @DependsOn("resilienceLiveRegistry")
    ResilienceRegistry resilienceRegistry(
            RegistryFactory factory, PolicyChanges changes, LayerOrder order, CheckedProperties properties) {
        int mostCreated = properties.written().registry().maxCreated();
        properties.requirePositive(mostCreated, "resilience.registry.max-created");
        return factory.registry(changes, order.kinds(), mostCreated);
    }

    private static void warnOfParent(@Nullable ApplicationContext parent, StartupWarnings warnings) {
        if (parent != null
                && parent.getBeanProvider(ResilienceRegistry.class).stream()
                        .findAny()
                        .isPresent()) {
            warnings.add(
                    "This application context and its parent have policies of their own, also those of equal names: a "
                            + "circuit that opens in one is closed in the other, and meters, health and endpoint show the "
                            + "parent's alone. To share the parent's, let 'spring.autoconfigure.exclude' of the child name "
                            + ResilienceAutoConfiguration.class.getName());
        }
    }

    @Bean
    AsyncCalls resilienceAsyncCalls(CheckedProperties properties, ObjectProvider<ContextCarrier> carriers) {
        Integer maxThreads = properties.written().async().maxThreads();
        boolean canBe = maxThreads == null || properties.requirePositive(maxThreads, "resilience.async.max-threads");
        return new AsyncCalls(
                carriers.orderedStream().reduce(ContextCarrier.standard(), ContextCarrier::and),
                canBe ? maxThreads : null);
    }

    @Bean
    WaitsStop resilienceWaitsStop(LiveRegistry registry, ApplicationContext application) {
        return new WaitsStop(registry, application);
    }

    @Bean
    WaitsResume resilienceWaitsResume(LiveRegistry registry) {
        return new WaitsResume(registry);
    }

    @Bean
    BulkheadDrainLifecycle resiliencePoolsShutdown(LiveRegistry registry) {
        return new BulkheadDrainLifecycle(registry);
    }

    @Bean
    BulkheadStopLifecycle resiliencePoolsStop(LiveRegistry registry) {
        return new BulkheadStopLifecycle(registry);
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
