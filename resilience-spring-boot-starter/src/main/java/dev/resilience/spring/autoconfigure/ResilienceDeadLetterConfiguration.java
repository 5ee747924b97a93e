package dev.resilience.spring.autoconfigure;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.MemoryDeadLetterStore;
import dev.resilience.retry.Retry;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.check.StartupCheck;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetterReplays;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.properties.CheckedProperties;
import dev.resilience.spring.properties.store.DeadLetterStoreProperties;
import dev.resilience.time.TimeSource;
import java.util.Map;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;

/** What dead letters need of the application, where it brings nothing of its own. */
@Configuration(proxyBeanMethods = false)
final class ResilienceDeadLetterConfiguration {

    private static final String STORE = "resilience.dead-letter-store.";

    @Bean
    @ConditionalOnMissingBean
    DeadLetterStore resilienceDeadLetterStore(CheckedProperties resilienceCheckedProperties, TimeSource time) {
        var properties = resilienceCheckedProperties.written().deadLetterStore();
        long maxBytes = properties.memory().maxSize().toBytes();
        resilienceCheckedProperties.require(
                properties.type() != DeadLetterStoreProperties.Type.JDBC,
                STORE + "type",
                properties.type(),
                "needs a DataSource bean, a single or a primary one; "
                        + "'org.springframework.boot:spring-boot-starter-jdbc' brings it");
        resilienceCheckedProperties.require(
                maxBytes > 0, STORE + "memory.max-size", properties.memory().maxSize(), "must be more than 0");
        return new MemoryDeadLetterStore(time, maxBytes);
    }

    @Bean
    DeadLetterMethods resilienceDeadLetterMethods(ObjectProvider<Json> json) {
        return new DeadLetterMethods(json.getIfAvailable());
    }

    /** Never lazy: letters that are there are replayed even if nothing asks for it. */
    @Bean
    @Lazy(false)
    DeadLetterReplays resilienceDeadLetterReplays(
            CheckedProperties resilienceCheckedProperties,
            LiveRegistry resilienceLiveRegistry,
            DeadLetterMethods resilienceDeadLetterMethods,
            TimeSource time,
            StartupCheck resilienceStartupCheck,
            StartupWarnings resilienceStartupWarnings) {
        boolean undecided =
                resilienceCheckedProperties.written().deadLetterStore().type() == DeadLetterStoreProperties.Type.AUTO;
        return new DeadLetterReplays(
                resilienceLiveRegistry, resilienceDeadLetterMethods, time, resilienceStartupCheck::run, store -> {
                    store.prepare();
                    if (undecided && store instanceof MemoryDeadLetterStore) {
                        resilienceStartupWarnings.add(
                                "Dead letters are kept in this process only: a restart loses them. Say so with '"
                                        + STORE
                                        + "type: memory', or give the application a database or a DeadLetterStore bean");
                    }
                    warnOfForgotten(store, resilienceLiveRegistry, resilienceStartupWarnings);
                });
    }

    /** Letters that nothing would ever replay or show. */
    private static void warnOfForgotten(DeadLetterStore store, LiveRegistry registry, StartupWarnings warnings) {
        Map<String, Retry> retries = registry.ofKind("retry");
        store.sizes().forEach((policy, letters) -> {
            Retry retry = retries.get(policy);
            if (retry == null || retry.deadLetters() == null) {
                warnings.add("There are " + letters + " dead letters of the retry policy '" + policy
                        + "', which has no 'dead-letter: true' any more: nothing replays them. Give it back, or remove them "
                        + "from the store");
            }
        });
    }
}
