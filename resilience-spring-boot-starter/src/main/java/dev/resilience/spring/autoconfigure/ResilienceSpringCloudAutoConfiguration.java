package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.cloud.ReactiveResilienceCircuitBreakerFactory;
import dev.resilience.spring.cloud.ResilienceCircuitBreakerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.cloud.client.circuitbreaker.CircuitBreakerFactory;
import org.springframework.cloud.client.circuitbreaker.Customizer;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import reactor.core.publisher.Flux;

/** The factories of Spring Cloud, unless the application or another library has some. */
@AutoConfiguration(
        after = ResilienceAutoConfiguration.class,
        afterName = {
            "org.springframework.cloud.circuitbreaker.resilience4j.Resilience4JAutoConfiguration",
            "org.springframework.cloud.circuitbreaker.resilience4j.ReactiveResilience4JAutoConfiguration",
            "org.springframework.cloud.circuitbreaker.springretry.SpringRetryAutoConfiguration"
        },
        beforeName = {
            "org.springframework.cloud.client.CommonsClientAutoConfiguration",
            "org.springframework.cloud.client.ReactiveCommonsClientAutoConfiguration"
        })
@ConditionalOnClass(CircuitBreakerFactory.class)
@ConditionalOnBean(name = ResilienceRuntime.REGISTRY)
public final class ResilienceSpringCloudAutoConfiguration {

    @Bean
    @Lazy
    @ConditionalOnMissingBean(CircuitBreakerFactory.class)
    ResilienceCircuitBreakerFactory resilienceCircuitBreakerFactory(
            ResilienceRegistry resilienceRegistry,
            ObjectProvider<Customizer<ResilienceCircuitBreakerFactory>> customizers) {
        ResilienceCircuitBreakerFactory factory = new ResilienceCircuitBreakerFactory(resilienceRegistry);
        customizers.orderedStream().forEach(customizer -> customizer.customize(factory));
        return factory;
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(Flux.class)
    static class ReactiveConfiguration {

        @Bean
        @Lazy
        @ConditionalOnMissingBean(ReactiveCircuitBreakerFactory.class)
        ReactiveResilienceCircuitBreakerFactory reactiveResilienceCircuitBreakerFactory(
                ResilienceRegistry resilienceRegistry,
                ObjectProvider<Customizer<ReactiveResilienceCircuitBreakerFactory>> customizers) {
            ReactiveResilienceCircuitBreakerFactory factory =
                    new ReactiveResilienceCircuitBreakerFactory(resilienceRegistry);
            customizers.orderedStream().forEach(customizer -> customizer.customize(factory));
            return factory;
        }
    }
}
