package dev.resilience.spring.autoconfigure;

import dev.resilience.event.Events;
import dev.resilience.event.ResilienceListener;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.fault.Faults;
import dev.resilience.fault.HttpFailure;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.idempotency.IdempotencyStore;
import dev.resilience.idempotency.MemoryIdempotencyStore;
import dev.resilience.pipeline.ContextCarrier;
import dev.resilience.retry.TransactionState;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupMistakes;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.ApplicationClasses;
import dev.resilience.spring.aop.ArgumentValidation;
import dev.resilience.spring.aop.PlanFactory;
import dev.resilience.spring.aop.ProtectedMethods;
import dev.resilience.spring.aop.ResilienceAdvisor;
import dev.resilience.spring.aop.StartupCheck;
import dev.resilience.spring.fault.LibraryFailures;
import dev.resilience.spring.fault.LibraryFaults;
import dev.resilience.spring.fault.RestClientFailures;
import dev.resilience.spring.fault.TransactionFaults;
import dev.resilience.spring.fault.WebClientFailures;
import dev.resilience.spring.idempotency.IdempotentMethodCheck;
import dev.resilience.spring.idempotency.IdempotentMethods;
import dev.resilience.spring.idempotency.JacksonJson;
import dev.resilience.spring.idempotency.Json;
import dev.resilience.spring.idempotency.SecurityCallerScope;
import dev.resilience.spring.web.DeadlineHeader;
import dev.resilience.spring.web.DeadlineTrust;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.config.EmbeddedValueResolver;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.NoneNestedConditions;
import org.springframework.boot.context.properties.bind.PropertySourcesPlaceholdersResolver;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.web.context.reactive.ReactiveWebApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;
import org.springframework.web.client.RestClientResponseException;
import org.springframework.web.reactive.function.client.WebClientResponseException;
import tools.jackson.databind.json.JsonMapper;

/** Protects annotated methods: the live objects, the plans and the one advice. */
@AutoConfiguration
@Conditional(OnEnabled.class)
public final class ResilienceAutoConfiguration {

    /** Made before almost every other bean, so it takes nothing but the environment and a provider. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static ResilienceAdvisor resilienceAdvisor(
            Environment environment, ObjectProvider<PlanFactory> planFactory, StartupMistakes mistakes) {
        boolean proxyTargetClass = environment.getProperty("spring.aop.proxy-target-class", Boolean.class, true);
        return new ResilienceAdvisor(
                new ProtectedMethods(proxyTargetClass, mistakes),
                planFactory,
                mistakes,
                GeneralProperties.read(environment).getAdviceOrder());
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
    StartupWarnings resilienceStartupWarnings() {
        return new StartupWarnings();
    }

    @Bean
    @ConditionalOnMissingBean
    TimeSource resilienceTimeSource() {
        return TimeSource.system();
    }

    @Bean
    Events resilienceEvents() {
        return new Events();
    }

    /** Listeners may need any other bean, so they are asked for when all are there. */
    @Bean
    static SmartInitializingSingleton resilienceListeners(Events events, ObjectProvider<ResilienceListener> listeners) {
        return () -> listeners.orderedStream().forEach(events::add);
    }

    @Bean
    Faults resilienceFaults(ObjectProvider<FaultClassifier> custom, ObjectProvider<HttpFailure.Reader> httpReaders) {
        FaultClassifier ofApplication = custom.getIfAvailable(() -> failure -> Fault.UNKNOWN);
        FaultClassifier ofLibraries = new LibraryFaults();
        List<HttpFailure.Reader> readers = httpReaders.orderedStream().toList();
        Faults faults = new Faults(ofApplication, List.of(ofLibraries), readers);
        return new Faults(ofApplication, List.of(ofLibraries, new TransactionFaults(faults)), readers);
    }

    @Bean
    LibraryFailures resilienceLibraryFailures() {
        return new LibraryFailures();
    }

    @Bean
    @ConditionalOnMissingBean
    IdempotencyStore resilienceIdempotencyStore(
            Environment environment, TimeSource time, StartupMistakes mistakes, PolicyNames names) {
        ResilienceProperties.IdempotencyStore.Type type =
                GeneralProperties.read(environment).getIdempotencyStore().getType();
        boolean canBe = GeneralProperties.require(
                        type != ResilienceProperties.IdempotencyStore.Type.REDIS,
                        mistakes,
                        environment,
                        "resilience.idempotency-store.type",
                        type,
                        "needs a RedisConnectionFactory bean, a single or a primary one; "
                                + "'org.springframework.boot:spring-boot-starter-data-redis' brings it")
                && GeneralProperties.require(
                        type != ResilienceProperties.IdempotencyStore.Type.JDBC,
                        mistakes,
                        environment,
                        "resilience.idempotency-store.type",
                        type,
                        "needs a DataSource bean, a single or a primary one; "
                                + "'org.springframework.boot:spring-boot-starter-jdbc' brings it");
        if (!canBe) {
            names.breaks(PolicyKind.IDEMPOTENCY);
        }
        return new MemoryIdempotencyStore(time);
    }

    /** Finds the mistakes in keys and names, before policies are made of them. */
    @Bean
    PolicyNames resiliencePolicyNames(Environment environment, StartupMistakes mistakes, StartupWarnings warnings) {
        ConfiguredKeys keys = GeneralProperties.keys(environment);
        UnknownKeys unknown = new UnknownKeys(keys, KnownKeys.all());
        unknown.collect(mistakes);
        unknown.warn(warnings);
        new Spellings(keys).collect(mistakes);
        GeneralProperties.check(environment, mistakes);
        return new PolicyNames(environment, keys, unknown, mistakes);
    }

    @Bean
    ResilienceRegistry resilienceRegistry(
            Environment environment,
            Faults faults,
            TimeSource time,
            Events events,
            IdempotencyStore store,
            AsyncCalls asyncCalls,
            ObjectProvider<TransactionState> transactions,
            PolicyNames names,
            StartupMistakes mistakes,
            StartupWarnings warnings) {
        ConfiguredKeys keys = GeneralProperties.keys(environment);
        warnOfOtherStores(keys, store, warnings);
        PolicyBinder binder =
                new PolicyBinder(keys, new PropertySourcesPlaceholdersResolver(environment), mistakes, names::breaks);
        ResilienceRegistry registry = new RegistryFactory(
                        binder,
                        faults,
                        time,
                        events,
                        store,
                        asyncCalls,
                        transactions.getIfAvailable(() -> TransactionState.NONE),
                        warnings,
                        mistakes,
                        names)
                .create();
        Variables.warn(environment, KnownKeys.all(), binder.names(), warnings);
        Resilience4jKeys.warn(environment, warnings);
        return registry;
    }

    private static void warnOfOtherStores(ConfiguredKeys keys, IdempotencyStore store, StartupWarnings warnings) {
        for (String key : List.of("jdbc.table-name", "redis.key-prefix")) {
            String name = "resilience.idempotency-store." + key;
            String packageOfStore = "dev.resilience.spring." + key.substring(0, key.indexOf('.'));
            if (keys.contains(ConfigurationPropertyName.of(name))
                    && !store.getClass().getPackageName().equals(packageOfStore)) {
                warnings.add("'" + name + "' has no effect: idempotent calls are remembered by a "
                        + store.getClass().getSimpleName());
            }
        }
    }

    @Bean
    AsyncCalls resilienceAsyncCalls(
            Environment environment, ObjectProvider<ContextCarrier> carriers, StartupMistakes mistakes) {
        Integer maxThreads = GeneralProperties.read(environment).getAsync().getMaxThreads();
        boolean canBe = maxThreads == null
                || GeneralProperties.require(
                        maxThreads >= 1,
                        mistakes,
                        environment,
                        "resilience.async.max-threads",
                        maxThreads,
                        "must be at least 1");
        return new AsyncCalls(
                carriers.orderedStream().reduce(ContextCarrier.standard(), ContextCarrier::and),
                canBe ? maxThreads : null);
    }

    @Bean
    WaitsStop resilienceWaitsStop(ResilienceRegistry registry, ApplicationContext application) {
        return new WaitsStop(registry, application);
    }

    @Bean
    WaitsResume resilienceWaitsResume(ResilienceRegistry registry) {
        return new WaitsResume(registry);
    }

    @Bean
    PoolsShutdown resiliencePoolsShutdown(ResilienceRegistry registry) {
        return new PoolsShutdown(registry);
    }

    @Bean
    PoolsStop resiliencePoolsStop(ResilienceRegistry registry) {
        return new PoolsStop(registry);
    }

    /** Never lazy: what is configured is checked at startup, even if no method needs it. */
    @Bean
    @Lazy(false)
    PlanFactory resiliencePlanFactory(
            Environment environment,
            ResilienceRegistry registry,
            IdempotentMethods idempotentMethods,
            ObjectProvider<IdempotentMethodCheck> checks,
            ConfigurableListableBeanFactory beans,
            PolicyNames names,
            TimeSource time,
            AsyncCalls asyncCalls,
            StartupMistakes mistakes,
            StartupWarnings warnings) {
        return new PlanFactory(
                registry,
                names,
                GeneralProperties.order(environment, mistakes),
                idempotentMethods,
                checks.orderedStream().toList(),
                new EmbeddedValueResolver(beans),
                time,
                asyncCalls.carrier(),
                warnings);
    }

    @Bean
    IdempotentMethods resilienceIdempotentMethods(
            Environment environment,
            ObjectProvider<Json> json,
            ObjectProvider<CallerScope> callerScope,
            IdempotencyStore store,
            ApplicationContext application,
            StartupMistakes mistakes,
            StartupWarnings warnings) {
        boolean reactive = application instanceof ReactiveWebApplicationContext;
        boolean fallenBack = store instanceof MemoryIdempotencyStore
                && GeneralProperties.read(environment).getIdempotencyStore().getType()
                        == ResilienceProperties.IdempotencyStore.Type.AUTO;
        boolean hidesCallers = reactive
                && ClassUtils.isPresent(
                        "org.springframework.security.core.context.SecurityContextHolder",
                        application.getClassLoader());
        return new IdempotentMethods(
                json.getIfAvailable(), callerScope.getIfAvailable(), reactive, hidesCallers, () -> {
                    if (!mistakes.isEmpty()) {
                        return; // the application does not start: nothing is to be made for it
                    }
                    store.prepare();
                    if (fallenBack) {
                        warnings.add(
                                "Idempotent calls are remembered in this process only: a restart forgets them, and a second "
                                        + "instance does not know them. Say so with 'resilience.idempotency-store.type: memory', or "
                                        + "give the application a database or an IdempotencyStore bean");
                    }
                });
    }

    @Bean
    DeadlineHeader resilienceDeadlineHeader(Environment environment, StartupMistakes mistakes) {
        ResilienceProperties.Deadline deadline =
                GeneralProperties.read(environment).getDeadline();
        Duration margin = deadline.getMargin();
        String name = deadline.getHeader();
        boolean hasMargin = GeneralProperties.require(
                !margin.isZero() && !margin.isNegative(),
                mistakes,
                environment,
                "resilience.deadline.margin",
                margin,
                "must be longer than zero");
        boolean hasName = GeneralProperties.require(
                name.matches("[!#$%&'*+.^_`|~0-9A-Za-z-]+"),
                mistakes,
                environment,
                "resilience.deadline.header",
                name,
                "must be the name of a header, such as X-Request-Deadline-Ms");
        ResilienceProperties.Deadline defaults = new ResilienceProperties.Deadline();
        return new DeadlineHeader(hasName ? name : defaults.getHeader(), hasMargin ? margin : defaults.getMargin());
    }

    @Bean
    DeadlineTrust resilienceDeadlineTrust(Environment environment, StartupMistakes mistakes) {
        ResilienceProperties.Deadline deadline =
                GeneralProperties.read(environment).getDeadline();
        Duration minimum = deadline.getMinimum();
        boolean isDuration = GeneralProperties.require(
                !minimum.isNegative(),
                mistakes,
                environment,
                "resilience.deadline.minimum",
                minimum,
                "must be zero or longer");
        return new DeadlineTrust(deadline.isFromRequests(), isDuration ? minimum : Duration.ZERO);
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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    static class JacksonConfiguration {

        @Bean
        @ConditionalOnMissingBean(Json.class)
        JacksonJson resilienceJson(ObjectProvider<JsonMapper> mapper) {
            return new JacksonJson(mapper.getIfAvailable(JsonMapper::new));
        }
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

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    @Conditional(NotReactive.class)
    static class SecurityConfiguration {

        @Bean
        @ConditionalOnMissingBean(CallerScope.class)
        SecurityCallerScope resilienceCallerScope() {
            return new SecurityCallerScope();
        }
    }

    /** In a reactive web application the caller is not bound to a thread that could be asked. */
    static final class NotReactive extends NoneNestedConditions {

        NotReactive() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        static final class Reactive {}
    }
}
