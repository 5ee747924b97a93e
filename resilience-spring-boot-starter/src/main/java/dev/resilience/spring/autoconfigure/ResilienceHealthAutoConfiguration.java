package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.actuate.ResilienceHealthIndicator;
import dev.resilience.spring.kind.Kinds;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** The health contributor {@code resilience}. */
@AutoConfiguration(after = ResilienceAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(ResilienceRegistry.class)
@ConditionalOnEnabledHealthIndicator("resilience")
public final class ResilienceHealthAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "resilienceHealthIndicator")
    ResilienceHealthIndicator resilienceHealthIndicator(LiveRegistry resilienceLiveRegistry, Kinds resilienceKinds) {
        return new ResilienceHealthIndicator(resilienceLiveRegistry, resilienceKinds);
    }
}
