package dev.resilience.spring.autoconfigure;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.time.TimeSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Lazy;

/**
 * For Boot's test slices alone, which bring the advice with them but not always the application's database or Redis:
 * where the configured store cannot be, idempotent calls are remembered in memory.
 */
@AutoConfiguration(
        before = ResilienceAutoConfiguration.class,
        after = {ResilienceJdbcAutoConfiguration.class, ResilienceRedisAutoConfiguration.class})
@Conditional(ResilienceAutoConfiguration.OnEnabled.class)
public final class ResilienceTestSliceAutoConfiguration {

    @Bean
    @Lazy
    @ConditionalOnMissingBean(IdempotencyStore.class)
    MemoryIdempotencyStore resilienceTestSliceIdempotencyStore(TimeSource time) {
        return new MemoryIdempotencyStore(time);
    }
}
