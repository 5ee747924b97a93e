package dev.resilience.spring.autoconfigure.preinitialize;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.fault.Fault;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.LayerOrder;
import dev.resilience.spring.aop.PlanFactory;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.check.ApplicationClasses;
import dev.resilience.spring.aop.check.StartupCheck;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.policy.AnnotatedPolicies;
import dev.resilience.spring.aop.policy.NamedPolicies;
import dev.resilience.spring.aop.policy.PolicyUses;
import dev.resilience.spring.autoconfigure.ResilienceKindsConfiguration;
import dev.resilience.spring.fault.LibraryFaults;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.GeneralProperties;
import dev.resilience.spring.properties.KnownKeys;
import dev.resilience.spring.properties.PoliciesInCode;
import dev.resilience.spring.properties.PolicyBeans;
import dev.resilience.spring.properties.PolicyBinder;
import dev.resilience.spring.properties.unknown.PolicyNames;
import dev.resilience.spring.properties.unknown.UnknownKeys;
import dev.resilience.spring.registry.AsyncCalls;
import dev.resilience.spring.registry.RegistryFactory;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.util.ClassUtils;

/**
 * Makes policies, live objects, plans and meters of a sample. Nothing of it lasts, no thread is made and nothing is logged.
 */
final class SampleObjects {

    private static final Map<String, Object> PROPERTIES =
            Map.of("resilience.retry.sample.max-attempts", 2, "resilience.circuit-breaker.sample.open-duration", "1s");

    private static final String METER_REGISTRY = "io.micrometer.core.instrument.simple.SimpleMeterRegistry";

    private SampleObjects() {}

    /** @throws dev.resilience.spring.ResilienceConfigurationException if a policy of the sample cannot be made */
    static void make() {
        StartupMistakes mistakes = new StartupMistakes();
        try (GenericApplicationContext beans = new GenericApplicationContext()) {
            register(beans, MemoryIdempotencyStore.class, () -> new MemoryIdempotencyStore(new ManualTimeSource(), 1));
            register(beans, Sample.class, Sample::new);
            beans.refresh();
            makeLiveObjects(beans, new Kinds(ResilienceKindsConfiguration.ofLibrary(false)), mistakes);
        }
        mistakes.throwIfAny();
    }

    /** As a prototype, which the startup check does not ask Mockito about: that would attach its agent. */
    private static <T> void register(GenericApplicationContext beans, Class<T> type, Supplier<T> bean) {
        beans.registerBean(type, bean, definition -> definition.setScope("prototype"));
    }

    private static void makeLiveObjects(GenericApplicationContext beans, Kinds kinds, StartupMistakes mistakes) {
        StandardEnvironment environment = new StandardEnvironment() {
            @Override
            protected void customizePropertySources(MutablePropertySources sources) {
                sources.addLast(new MapPropertySource("sample", PROPERTIES));
            }
        };
        ConfigurationPropertySources.attach(environment);
        ProtectedMethods methods = new ProtectedMethods(true, mistakes, () -> kinds);
        AnnotatedPolicies annotated = new AnnotatedPolicies((kind, key) -> true, text -> text);
        new PolicyUses(beans.getBeanFactory(), methods, kinds).collect(annotated, mistakes);
        KnownKeys known = new KnownKeys(kinds.ofPolicies());
        PoliciesInCode code = new PoliciesInCode(kinds.ofPolicies(), annotated, new PolicyBeans(beans));
        ConfiguredProperties keys = GeneralProperties.keys(environment, known, code);
        UnknownKeys unknown = new UnknownKeys(keys, known);
        unknown.collect(mistakes);
        GeneralProperties.check(environment, mistakes);
        PolicyNames names = new PolicyNames(environment, keys, unknown, mistakes);
        TimeSource time = new ManualTimeSource();
        EventPublisher events = new EventPublisher();
        StartupWarnings warnings = new StartupWarnings();
        RegistryFactory factory = new RegistryFactory(
                kinds,
                new PolicyBinder(keys, new PropertySourcesPlaceholdersResolver(environment), mistakes, names::breaks),
                new CompositeFaultClassifier(failure -> Fault.UNKNOWN, List.of(new LibraryFaults()), List.of()),
                time,
                events,
                new AsyncCalls(ContextCarrier.standard(), null),
                beans,
                warnings,
                mistakes,
                names);
        LiveRegistry live = factory.live();
        ConfigurableListableBeanFactory all = beans.getBeanFactory();
        NamedPolicies policies = new NamedPolicies(live, names, annotated, factory);
        PlanFactory plans = new PlanFactory(
                live, kinds, policies, LayerOrder.standard(kinds), all, time, ContextCarrier.standard(), warnings);
        register(beans, PlanFactory.class, () -> plans);
        ResilienceAdvisor advisor =
                new ResilienceAdvisor(methods, beans.getBeanProvider(PlanFactory.class), mistakes, 0);
        new StartupCheck(all, new ApplicationClasses(all), advisor, warnings, mistakes).run();
        if (ClassUtils.isPresent(METER_REGISTRY, SampleObjects.class.getClassLoader())) {
            SampleMeters.bind(live, kinds, events);
        }
    }

    static class Sample {

        @Retryable("sample")
        @CircuitBreaker
        @Bulkhead
        @TimeLimit
        public String call() {
            return "";
        }
    }
}
