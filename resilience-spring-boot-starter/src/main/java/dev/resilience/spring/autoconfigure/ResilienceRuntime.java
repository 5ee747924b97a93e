package dev.resilience.spring.autoconfigure;

import static dev.resilience.spring.WarningId.KEY_WITHOUT_EFFECT;

import dev.resilience.context.ContextCarrier;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.ResilienceListener;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassification;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.fault.HttpFailure;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.PolicyCustomizer;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.Bindings;
import dev.resilience.spring.aop.LayerOrder;
import dev.resilience.spring.aop.NamedPolicies;
import dev.resilience.spring.aop.PlanFactory;
import dev.resilience.spring.aop.ProtectedMethods;
import dev.resilience.spring.aop.ProxyRules;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.client.HttpClientPolicy;
import dev.resilience.spring.fault.LibraryFaults;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.properties.AnnotatedPolicies;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.ConfiguredProperties;
import dev.resilience.spring.properties.PolicyBeans;
import dev.resilience.spring.properties.PolicyBinder;
import dev.resilience.spring.properties.PolicyNames;
import dev.resilience.spring.properties.PolicyTable;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.properties.UnknownKeys;
import dev.resilience.spring.registry.DefaultResilienceRegistry;
import dev.resilience.spring.registry.ResilienceLifecycle;
import dev.resilience.spring.weaving.ResilienceAspect;
import dev.resilience.time.TimeSource;
import java.lang.annotation.Annotation;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.util.ClassUtils;

/**
 * The composition root: creates the objects of the library that are no beans. What costs anything is created together with the
 * registry when it is needed first: in the startup, if protected methods or keys under {@code resilience} are found, and else
 * when a bean or a call asks for it. Until then there is an advisor with its pointcut.
 */
final class ResilienceRuntime implements AutoCloseable {

    /** The bean with which everything is created, so that Spring's lock for beans guards it. */
    static final String REGISTRY = "resilienceRegistry";

    static final String KINDS = "resilienceKinds";

    final StartupProblems problems = new StartupProblems();
    final StartupWarnings warnings;
    final EventPublisher events = new EventPublisher();
    final CheckedProperties properties;
    final ResilienceAdvisor advisor;

    private final ConfigurableApplicationContext application;
    private final ConfigurableListableBeanFactory beans;
    private volatile ConfiguredProperties configured;
    private volatile Runnable refresh = () -> {};
    private final List<Runnable> whenCreated = new CopyOnWriteArrayList<>();
    private volatile @Nullable DefaultResilienceRegistry registry;
    private volatile @Nullable PlanFactory plans;

    ResilienceRuntime(ConfigurableApplicationContext application) {
        this.application = application;
        this.beans = application.getBeanFactory();
        this.configured = new ConfiguredProperties(application.getEnvironment());
        this.properties = new CheckedProperties(configured, application.getEnvironment(), problems);
        this.warnings = new StartupWarnings(values().warnings().ignore());
        boolean proxyTargetClass =
                application.getEnvironment().getProperty("spring.aop.proxy-target-class", Boolean.class, true);
        boolean woven = values().adviceMode() == AdviceMode.ASPECTJ;
        Bindings bindings = new Bindings(configured.bindings(), beans, problems);
        boolean isRight = !woven || configured.bindings().isEmpty();
        properties.require(isRight, "resilience.advice-mode", "aspectj", "must be proxy beside 'resilience.bindings'");
        ProtectedMethods methods = new ProtectedMethods(
                woven ? null : new ProxyRules(proxyTargetClass), problems, this::kinds, this::annotations, bindings);
        this.advisor = new ResilienceAdvisor(methods, this::plans, problems, values().adviceOrder());
    }

    ResilienceProperties values() {
        return properties.written();
    }

    Kinds kinds() {
        return beans.getBean(KINDS, Kinds.class);
    }

    /** Those that protect methods. Asked for with the first bean, so the kinds are made only if the application has some of its own. */
    private List<Class<? extends Annotation>> annotations() {
        boolean hasOwnKinds = BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, Kind.class).length > 0;
        return hasOwnKinds ? kinds().annotations() : ResilienceAspect.ANNOTATIONS;
    }

    DefaultResilienceRegistry registry() {
        DefaultResilienceRegistry created = registry;
        return created == null ? beans.getBean(REGISTRY, DefaultResilienceRegistry.class) : created;
    }

    LiveRegistry live() {
        return registry().live();
    }

    @Nullable
    DefaultResilienceRegistry registryIfCreated() {
        return registry;
    }

    /** Whether an HTTP answer that reports this failure should refuse retries. */
    boolean refusesRetry(Throwable failure) {
        DefaultResilienceRegistry created = registry;
        return created != null && created.environment.faults().refusesRetry(failure);
    }

    private PlanFactory plans() {
        registry();
        return Objects.requireNonNull(plans);
    }

    /** Whether anything is protected or configured, or has asked for the registry. */
    boolean isNeeded() {
        return registry != null
                || !configured.isEmpty()
                || !advisor.methods().areNone()
                || !problems.isEmpty()
                || beans.getBeanNamesForType(PolicyCustomizer.class, false, false).length > 0;
    }

    /** Whether there may be entries of {@code resilience.http-client}. */
    boolean mayHaveHttpClients() {
        return configured.mayHave("http-client")
                || beans.getBeanNamesForType(HttpClientPolicy.class, false, false).length > 0;
    }

    /** Runs a task when the live objects are created. */
    void whenCreated(Runnable task) {
        whenCreated.add(task);
    }

    /** Runs a task on the live objects: now if they are needed, and else when they are created. */
    void whenNeeded(Runnable task) {
        if (isNeeded()) {
            registry();
            task.run();
        } else {
            whenCreated(task);
        }
    }

    /** To be called once all singletons are there. */
    void start() {
        String leftOver = UnknownKeys.ofResilience4j(application.getEnvironment());
        if (leftOver != null) {
            warnings.add(KEY_WITHOUT_EFFECT.of(leftOver));
        }
        whenNeeded(() -> {
            beans.getBeanProvider(ResilienceListener.class).orderedStream().forEach(events::add);
            beans.getBeanProvider(DeadLetterStore.class).getIfUnique(); // what is configured for it is checked
        });
    }

    /** Takes what is configured now; at once if there are live objects, or else when they are created. */
    synchronized void refresh() {
        configured = new ConfiguredProperties(application.getEnvironment());
        refresh.run();
    }

    /** What the bean of the registry is created by. */
    DefaultResilienceRegistry create() {
        Kinds kinds = kinds();
        PolicyTable table = new PolicyTable(configured, kinds.configured());
        AnnotatedPolicies annotated = new AnnotatedPolicies(table::isKey, new EmbeddedValueResolver(beans));
        NamedPolicies.collect(beans, advisor.methods(), kinds, annotated, problems);
        PolicyBeans policyBeans = new PolicyBeans(beans);
        PolicyNames names = new PolicyNames(table, application.getEnvironment());
        policyBeans.check(kinds.configured(), problems);
        new UnknownKeys(table).report(problems, warnings);
        properties.warnOfOtherStores(
                "idempotency-store", values().idempotencyStore().type(), warnings);
        properties.warnOfOtherStores(
                "dead-letter-store", values().deadLetterStore().type(), warnings);
        names.checkSpellings(annotated, policyBeans, problems);
        LayerOrder order =
                LayerOrder.of(values().order(), kinds, problems, properties.describe("order", values().order()));
        Environment environment = environment();
        DefaultResilienceRegistry created = new DefaultResilienceRegistry(
                kinds,
                order.kinds(),
                binder(table, annotated, policyBeans, problems, names),
                names,
                environment,
                application,
                warnings,
                problems,
                values().registry().maxCreated(),
                values().async().maxThreads());
        NamedPolicies named = new NamedPolicies(created.live(), names, annotated, created);
        advisor.methods().bindings().check(named, kinds);
        plans = new PlanFactory(created.live(), kinds, named, order, beans, environment, warnings);
        registry = created;
        refresh = () -> created.refresh(found -> {
            PolicyTable now = new PolicyTable(configured, kinds.configured());
            PolicyNames namesNow = new PolicyNames(now, application.getEnvironment());
            new UnknownKeys(now).report(found, warnings);
            namesNow.checkSpellings(annotated, policyBeans, found);
            return binder(now, annotated, policyBeans, found, namesNow);
        });
        ResilienceLifecycle.register(application, created.live());
        warnings.whenAsked(() -> kinds.configured().forEach(kind -> check(kind, created.live())));
        whenCreated.forEach(Runnable::run);
        return created;
    }

    private <L extends LiveObject<?>> void check(ConfiguredKind<?, ?, L> kind, LiveRegistry live) {
        live.<L>ofKind(kind.id()).values().forEach(each -> kind.checkAtWork(each, warnings));
    }

    private PolicyBinder binder(
            PolicyTable table,
            AnnotatedPolicies annotated,
            PolicyBeans policyBeans,
            StartupProblems found,
            PolicyNames names) {
        PropertySourcesPlaceholdersResolver placeholders =
                new PropertySourcesPlaceholdersResolver(application.getEnvironment());
        return new PolicyBinder(table, annotated, policyBeans, placeholders, found, names::breaks);
    }

    /** What every live object works with. */
    private Environment environment() {
        List<HttpFailure.Reader> readers = new ArrayList<>(
                beans.getBeanProvider(HttpFailure.Reader.class).orderedStream().toList());
        readers.add(LibraryFaults::read);
        if (isPresent("org.springframework.web.client.RestClientResponseException")) {
            readers.add(LibraryFaults::ofRestClient);
        }
        if (isPresent("org.springframework.web.reactive.function.client.WebClientResponseException")) {
            readers.add(LibraryFaults::ofWebClient);
        }
        FaultClassifier ofApplication =
                beans.getBeanProvider(FaultClassifier.class).getIfAvailable(() -> failure -> Fault.UNKNOWN);
        FaultClassification causes = new FaultClassification(ofApplication, List.of(LibraryFaults::classify), readers);
        return new Environment(
                beans.getBean(TimeSource.class),
                events,
                new FaultClassification(
                        ofApplication,
                        List.of(LibraryFaults::classify, failure -> LibraryFaults.ofTransactions(causes, failure)),
                        readers),
                beans.getBeanProvider(ContextCarrier.class)
                        .orderedStream()
                        .reduce(ContextCarrier.standard(), ContextCarrier::and));
    }

    boolean isPresent(String className) {
        return ClassUtils.isPresent(className, application.getClassLoader());
    }

    /** With the application. */
    @Override
    public void close() {
        advisor.end();
        problems.destroy();
    }
}
