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
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.method.ProtectedMethods;
import dev.resilience.spring.aop.policy.AnnotatedPolicies;
import dev.resilience.spring.aop.policy.PolicyUses;
import dev.resilience.spring.bulkhead.BulkheadKind;
import dev.resilience.spring.circuitbreaker.CircuitBreakerKind;
import dev.resilience.spring.fallback.FallbackKind;
import dev.resilience.spring.fault.LibraryFaults;
import dev.resilience.spring.idempotency.IdempotencyKind;
import dev.resilience.spring.kind.Kind;
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
import dev.resilience.spring.retry.RetryBudgetKind;
import dev.resilience.spring.retry.RetryKind;
import dev.resilience.spring.timelimit.TimeLimitKind;
import dev.resilience.time.ManualTimeSource;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.context.support.GenericApplicationContext;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.StandardEnvironment;

/** Makes policies and live objects of a sample. Nothing of it lasts, no thread is made and nothing is logged. */
final class SampleObjects {

    private static final Map<String, Object> PROPERTIES =
            Map.of("resilience.retry.sample.max-attempts", 2, "resilience.circuit-breaker.sample.open-duration", "1s");

    private SampleObjects() {}

    /** @throws dev.resilience.spring.ResilienceConfigurationException if a policy of the sample cannot be made */
    static void make() {
        StartupMistakes mistakes = new StartupMistakes();
        try (GenericApplicationContext beans = new GenericApplicationContext()) {
            beans.registerBean(
                    MemoryIdempotencyStore.class, () -> new MemoryIdempotencyStore(new ManualTimeSource(), 1));
            beans.registerBean(Sample.class, Sample::new);
            beans.refresh();
            makeLiveObjects(beans, kinds(), mistakes);
        }
        mistakes.throwIfAny();
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
        new RegistryFactory(
                kinds,
                new PolicyBinder(keys, new PropertySourcesPlaceholdersResolver(environment), mistakes, names::breaks),
                new CompositeFaultClassifier(failure -> Fault.UNKNOWN, List.of(new LibraryFaults()), List.of()),
                new ManualTimeSource(),
                new EventPublisher(),
                new AsyncCalls(ContextCarrier.standard(), null),
                beans,
                new StartupWarnings(),
                mistakes,
                names);
    }

    private static Kinds kinds() {
        return new Kinds(List.<Kind<?, ?>>of(
                new RetryKind(),
                new CircuitBreakerKind(),
                new BulkheadKind(),
                new TimeLimitKind(false),
                new IdempotencyKind(),
                new RetryBudgetKind(),
                new FallbackKind()));
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
