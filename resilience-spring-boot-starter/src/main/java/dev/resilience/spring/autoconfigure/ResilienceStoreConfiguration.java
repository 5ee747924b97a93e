package dev.resilience.spring.autoconfigure;

import static dev.resilience.spring.WarningId.DEAD_LETTERS_FORGOTTEN;
import static dev.resilience.spring.WarningId.MEMORY_STORE;
import static dev.resilience.spring.WarningId.MEMORY_STORE_BESIDE_DATABASE;
import static dev.resilience.spring.kind.KindContext.NEEDS_DATA_SOURCE;
import static dev.resilience.spring.kind.KindContext.NEEDS_REDIS;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.retry.Retry;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.StartupChecks;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetterReplays;
import dev.resilience.spring.deadletter.MemoryDeadLetterStore;
import dev.resilience.spring.idempotency.IdempotentMethods;
import dev.resilience.spring.idempotency.SecurityCallerScope;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.time.TimeSource;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.web.context.reactive.ReactiveWebApplicationContext;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.type.AnnotatedTypeMetadata;
import org.springframework.util.ClassUtils;
import tools.jackson.databind.json.JsonMapper;

/** What idempotent methods and dead letters need of the application, where it brings nothing of its own. */
@Configuration(proxyBeanMethods = false)
@Lazy
final class ResilienceStoreConfiguration {

    private static final String RECORDS_IN = "resilience.idempotency-store.type";

    private static final String LETTERS_IN = "resilience.dead-letter-store.type";

    private static final String BESIDE_DATABASE =
            " are kept in this process only, though the application has a database: a restart loses them, and a second instance "
                    + "does not know them. Set '%s' to jdbc, and make one DataSource primary if there are several";

    private static final String SECURITY = "org.springframework.security.core.context.SecurityContextHolder";

    private static final String REACTIVE_FILTERS = "org.springframework.security.web.server.WebFilterChainProxy";

    @Bean
    @ConditionalOnMissingBean
    IdempotencyStore resilienceIdempotencyStore(ResilienceRuntime resilienceRuntime, TimeSource time) {
        CheckedProperties checked = resilienceRuntime.properties;
        ResilienceProperties.IdempotencyStore properties = checked.written().idempotencyStore();
        ResilienceProperties.IdempotencyStore.Type type = properties.type();
        checked.require(type != ResilienceProperties.IdempotencyStore.Type.REDIS, RECORDS_IN, type, NEEDS_REDIS);
        checked.require(type != ResilienceProperties.IdempotencyStore.Type.JDBC, RECORDS_IN, type, NEEDS_DATA_SOURCE);
        return new MemoryIdempotencyStore(time, properties.memory().maxSize().toBytes());
    }

    @Bean
    IdempotentMethods resilienceIdempotentMethods(
            ResilienceRuntime resilienceRuntime,
            ObjectProvider<Json> json,
            ObjectProvider<CallerScope> callerScope,
            IdempotencyStore store,
            ApplicationContext application) {
        boolean reactive = application instanceof ReactiveWebApplicationContext;
        boolean undecided =
                resilienceRuntime.values().idempotencyStore().type() == ResilienceProperties.IdempotencyStore.Type.AUTO;
        SecurityCallerScope ofSecurity =
                resilienceRuntime.isPresent(SECURITY) ? new SecurityCallerScope(looksForCallers(application)) : null;
        CallerScope ofApplication = callerScope.getIfAvailable();
        return new IdempotentMethods(
                json.getIfAvailable(),
                ofApplication == null && !reactive ? ofSecurity : ofApplication,
                reactive,
                reactive ? ofSecurity : null, // there the caller is not bound to a thread that could be asked
                () -> {
                    if (!resilienceRuntime.problems.isEmpty()) {
                        return; // the application does not start: nothing is to be made for it
                    }
                    store.prepare();
                    if (!(store instanceof MemoryIdempotencyStore)) {
                        return;
                    }
                    if (has(DataSource.class, application)) {
                        resilienceRuntime.warnings.add(MEMORY_STORE_BESIDE_DATABASE.of(
                                "Idempotent calls" + BESIDE_DATABASE.formatted(RECORDS_IN)));
                    } else if (undecided) {
                        resilienceRuntime.warnings.add(MEMORY_STORE.of("Idempotent calls are remembered in this "
                                + "process only: a restart forgets them, and a second instance does not know them. "
                                + "Say so with 'resilience.idempotency-store.type: memory', or give the application a "
                                + "database or an IdempotencyStore bean"));
                    }
                });
    }

    private static boolean has(Class<?> type, ApplicationContext application) {
        return BeanFactoryUtils.beanNamesForTypeIncludingAncestors(application, type, true, false).length > 0;
    }

    /** Whether Spring Security's filters are there, of its servlet or its reactive stack. */
    private static boolean looksForCallers(ApplicationContext application) {
        ClassLoader loader = application.getClassLoader();
        return application.containsBean("springSecurityFilterChain")
                || (ClassUtils.isPresent(REACTIVE_FILTERS, loader)
                        && has(ClassUtils.resolveClassName(REACTIVE_FILTERS, loader), application));
    }

    @Bean
    @ConditionalOnMissingBean
    DeadLetterStore resilienceDeadLetterStore(ResilienceRuntime resilienceRuntime, TimeSource time) {
        CheckedProperties checked = resilienceRuntime.properties;
        ResilienceProperties.DeadLetterStore properties = checked.written().deadLetterStore();
        ResilienceProperties.DeadLetterStore.Type type = properties.type();
        checked.require(type != ResilienceProperties.DeadLetterStore.Type.JDBC, LETTERS_IN, type, NEEDS_DATA_SOURCE);
        return new MemoryDeadLetterStore(time, properties.memory().maxSize().toBytes());
    }

    @Bean
    DeadLetterMethods resilienceDeadLetterMethods(ObjectProvider<Json> json) {
        return new DeadLetterMethods(json.getIfAvailable());
    }

    /** Never lazy: letters that are there are replayed even if nothing asks for it. */
    @Bean
    @Lazy(false)
    DeadLetterReplays resilienceDeadLetterReplays(
            ResilienceRuntime resilienceRuntime,
            ObjectProvider<DeadLetterMethods> resilienceDeadLetterMethods,
            TimeSource time,
            StartupChecks resilienceStartupChecks,
            ApplicationContext application) {
        boolean undecided =
                resilienceRuntime.values().deadLetterStore().type() == ResilienceProperties.DeadLetterStore.Type.AUTO;
        DeadLetterReplays replays = new DeadLetterReplays(
                resilienceRuntime::live,
                (letter, attempt) -> resilienceDeadLetterMethods.getObject().replay(letter, attempt),
                time,
                () -> {
                    resilienceStartupChecks.run();
                    return resilienceRuntime.isNeeded();
                },
                store -> {
                    store.prepare();
                    boolean inMemory = store instanceof MemoryDeadLetterStore;
                    if (inMemory && has(DataSource.class, application)) {
                        resilienceRuntime.warnings.add(MEMORY_STORE_BESIDE_DATABASE.of(
                                "Dead letters" + BESIDE_DATABASE.formatted(LETTERS_IN)));
                    } else if (inMemory && undecided) {
                        resilienceRuntime.warnings.add(MEMORY_STORE.of("Dead letters are kept in this process only: a "
                                + "restart loses them. Say so with '" + LETTERS_IN + ": memory', or give the "
                                + "application a database or a DeadLetterStore bean"));
                    }
                    warnOfForgotten(store, resilienceRuntime.live(), resilienceRuntime.warnings);
                },
                resilienceRuntime.values().deadLetter().retention());
        resilienceRuntime.whenCreated(replays::startIfRunning);
        return replays;
    }

    /** Letters that nothing would ever replay or show. */
    private static void warnOfForgotten(DeadLetterStore store, LiveRegistry registry, StartupWarnings warnings) {
        Map<String, Retry> retries = registry.ofKind("retry");
        store.sizes().forEach((policy, letters) -> {
            Retry retry = retries.get(policy);
            if (retry == null || !retry.policy().deadLetter()) {
                warnings.add(DEAD_LETTERS_FORGOTTEN.of("There are " + letters + " dead letters of the retry policy '"
                        + policy + "', which has no 'dead-letter: true' any more: nothing replays them. Give it back, "
                        + "or remove them from the store"));
            }
        });
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(JsonMapper.class)
    @Lazy
    static class JacksonConfiguration {

        @Bean
        @ConditionalOnMissingBean(Json.class)
        Json resilienceJson(ObjectProvider<JsonMapper> mapper) {
            return new Json(() -> mapper.getIfAvailable(JsonMapper::new));
        }
    }

    /** Matches if the type of a store is a certain one, or is left to the library. */
    @Conditional(OnStore.class)
    @Retention(RetentionPolicy.RUNTIME)
    @interface ConditionalOnStore {

        String property();

        String type();
    }

    private static final class OnStore extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            MergedAnnotation<?> store = metadata.getAnnotations().get(ConditionalOnStore.class);
            String property = store.getString("property");
            String configured = CheckedProperties.read(context.getEnvironment(), property, String.class, "auto");
            return new ConditionOutcome(
                    configured.equalsIgnoreCase(store.getString("type")) || configured.equalsIgnoreCase("auto"),
                    ConditionMessage.of(property + " is " + configured));
        }
    }
}
