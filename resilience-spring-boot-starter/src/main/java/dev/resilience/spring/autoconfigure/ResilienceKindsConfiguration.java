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
public final class ResilienceKindsConfiguration {

    /** The library's own; they are no beans, because each bean takes time at startup. */
    public static List<Kind<?, ?>> ofLibrary(boolean hasVirtualThreads) {
        return List.of(
                new RetryKind(),
                new CircuitBreakerKind(),
                new BulkheadKind(),
                new TimeLimitKind(hasVirtualThreads),
                new IdempotencyKind(),
                new RetryBudgetKind(),
                new FallbackKind());
    }

    @Bean
    @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
    static Kinds resilienceKinds(Environment environment, ObjectProvider<Kind<?, ?>> ofApplication) {
        List<Kind<?, ?>> kinds = new ArrayList<>(ofLibrary(Threading.VIRTUAL.isActive(environment)));
        ofApplication.orderedStream().forEach(kinds::add);
        return new Kinds(kinds);
    }
}
