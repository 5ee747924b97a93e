package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.autoconfigure.condition.OnEnabled;
import dev.resilience.spring.context.RequestContextCarrier;
import dev.resilience.spring.context.SecurityContextCarrier;
import dev.resilience.spring.context.SnapshotCarrier;
import io.micrometer.context.ContextSnapshotFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.web.context.request.RequestContextHolder;

/** Lets calls on worker threads see what their callers' threads see, as far as the application has it. */
@AutoConfiguration(before = ResilienceAutoConfiguration.class)
@Conditional(OnEnabled.class)
public final class ResilienceContextAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(SecurityContextHolder.class)
    static class SecurityConfiguration {

        @Bean
        SecurityContextCarrier resilienceSecurityContextCarrier() {
            return new SecurityContextCarrier();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RequestContextHolder.class)
    static class RequestConfiguration {

        @Bean
        RequestContextCarrier resilienceRequestContextCarrier() {
            return new RequestContextCarrier();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ContextSnapshotFactory.class)
    static class SnapshotConfiguration {

        @Bean
        SnapshotCarrier resilienceSnapshotCarrier() {
            return new SnapshotCarrier();
        }
    }
}
