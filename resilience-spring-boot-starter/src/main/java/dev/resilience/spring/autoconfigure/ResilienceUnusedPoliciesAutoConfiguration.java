package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.aop.check.StartupCheck;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.registry.UnusedPolicies;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;

/** Looks for policies that no method uses; not in test slices, which lack most of an application's methods. */
@AutoConfiguration(after = ResilienceAutoConfiguration.class)
@ConditionalOnBean(ResilienceRegistry.class)
public final class ResilienceUnusedPoliciesAutoConfiguration {

    @Bean
    @Lazy(false)
    static UnusedPolicies resilienceUnusedPolicies(
            StartupCheck resilienceStartupCheck,
            LiveRegistry resilienceLiveRegistry,
            Kinds resilienceKinds,
            ConfigurableListableBeanFactory beans,
            Environment environment,
            StartupWarnings resilienceStartupWarnings) {
        return new UnusedPolicies(
                resilienceStartupCheck,
                resilienceLiveRegistry,
                resilienceKinds,
                beans,
                environment,
                resilienceStartupWarnings);
    }
}
