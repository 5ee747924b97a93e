package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.cloud.GatewayCircuitBreakerFilterFactory;
import dev.resilience.spring.cloud.ReactiveResilienceCircuitBreakerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.cloud.gateway.config.conditional.ConditionalOnEnabledFilter;
import org.springframework.cloud.gateway.filter.factory.FallbackHeadersGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.factory.SpringCloudCircuitBreakerFilterFactory;
import org.springframework.context.annotation.Bean;
import org.springframework.web.reactive.DispatcherHandler;

/**
 * The filters {@code CircuitBreaker} and {@code FallbackHeaders} of Spring Cloud Gateway on WebFlux, which it defines itself
 * only for Resilience4j.
 */
@AutoConfiguration(
        after = ResilienceSpringCloudAutoConfiguration.class,
        afterName = "org.springframework.cloud.gateway.config.GatewayResilience4JCircuitBreakerAutoConfiguration")
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
@ConditionalOnClass({SpringCloudCircuitBreakerFilterFactory.class, DispatcherHandler.class})
@ConditionalOnBean(ReactiveResilienceCircuitBreakerFactory.class)
@ConditionalOnProperty(name = "spring.cloud.gateway.server.webflux.enabled", matchIfMissing = true)
public final class ResilienceGatewayAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(SpringCloudCircuitBreakerFilterFactory.class)
    @ConditionalOnEnabledFilter
    GatewayCircuitBreakerFilterFactory resilienceGatewayCircuitBreakerFilterFactory(
            ReactiveResilienceCircuitBreakerFactory breakers, ObjectProvider<DispatcherHandler> handler) {
        return new GatewayCircuitBreakerFilterFactory(breakers, handler);
    }

    @Bean
    @ConditionalOnMissingBean
    @ConditionalOnEnabledFilter
    FallbackHeadersGatewayFilterFactory resilienceFallbackHeadersGatewayFilterFactory() {
        return new FallbackHeadersGatewayFilterFactory();
    }
}
