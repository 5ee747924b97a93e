package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.bulkhead.BulkheadKind;
import dev.resilience.spring.circuitbreaker.CircuitBreakerKind;
import dev.resilience.spring.fallback.FallbackKind;
import dev.resilience.spring.idempotency.IdempotencyKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.retry.RetryBudgetKind;
import dev.resilience.spring.retry.RetryKind;
import dev.resilience.spring.timelimit.TimeLimitKind;
import java.util.ArrayList;
import java.util.List;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.thread.Threading;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.core.env.Environment;

/** The kinds of the library, in the order in which they are shown, and all kinds that there are. */
@Configuration(proxyBeanMethods = false)
@Role(BeanDefinition.ROLE_INFRASTRUCTURE)
final class ResilienceKindsConfiguration {

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryKind resilienceRetryKind() {
        return new RetryKind();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static CircuitBreakerKind resilienceCircuitBreakerKind() {
        return new CircuitBreakerKind();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static BulkheadKind resilienceBulkheadKind() {
        return new BulkheadKind();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static TimeLimitKind resilienceTimeLimitKind(Environment environment) {
        return new TimeLimitKind(Threading.VIRTUAL.isActive(environment));
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static IdempotencyKind resilienceIdempotencyKind() {
        return new IdempotencyKind();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static RetryBudgetKind resilienceRetryBudgetKind() {
        return new RetryBudgetKind();
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static FallbackKind resilienceFallbackKind() {
        return new FallbackKind();
    }

    /** The library's own come first. */
    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Kinds resilienceKinds(ObjectProvider<Kind<?, ?>> kinds) {
        List<Kind<?, ?>> own = new ArrayList<>();
        List<Kind<?, ?>> others = new ArrayList<>();
        kinds.orderedStream().forEach(kind -> (isOwn(kind) ? own : others).add(kind));
        own.addAll(others);
        return new Kinds(own);
    }

    private static boolean isOwn(Kind<?, ?> kind) {
        return kind.getClass().getName().startsWith("dev.resilience.");
    }
}
