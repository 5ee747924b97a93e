package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.registry.UnusedPolicies;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;

/** Looks for policies that no method uses; not in test slices, which lack most of an application's methods. */
@AutoConfiguration(after = ResilienceAutoConfiguration.class)
@ConditionalOnBean(name = ResilienceRuntime.REGISTRY)
public final class ResilienceUnusedPoliciesAutoConfiguration {

    @Bean
    @Lazy
    static UnusedPolicies resilienceUnusedPolicies(
            ResilienceRuntime resilienceRuntime, ConfigurableListableBeanFactory beans) {
        return new UnusedPolicies(resilienceRuntime.registry(), beans, resilienceRuntime.warnings);
    }
}
