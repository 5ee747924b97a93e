package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.actuate.DeadLetterEntries;
import dev.resilience.spring.actuate.EventLog;
import dev.resilience.spring.actuate.PolicyBodyAdvice;
import dev.resilience.spring.actuate.PolicyBodyFilter;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.actuate.ResilienceHealthIndicator;
import dev.resilience.spring.actuate.ResilienceWebEndpointExtension;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetterReplays;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.webflux.actuate.endpoint.web.AbstractWebFluxEndpointHandlerMapping;
import org.springframework.boot.webmvc.actuate.endpoint.web.AbstractWebMvcEndpointHandlerMapping;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdviceAdapter;

/** The actuator endpoint and the health contributor {@code resilience}. */
@AutoConfiguration(after = ResilienceAutoConfiguration.class)
@ConditionalOnBean(name = ResilienceRuntime.REGISTRY)
public final class ResilienceActuatorAutoConfiguration {

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
    @ConditionalOnEnabledHealthIndicator("resilience")
    static class HealthConfiguration {

        @Bean
        @ConditionalOnMissingBean(name = "resilienceHealthIndicator")
        ResilienceHealthIndicator resilienceHealthIndicator(ResilienceRuntime resilienceRuntime) {
            return new ResilienceHealthIndicator(resilienceRuntime::registryIfCreated);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
    @ConditionalOnAvailableEndpoint(ResilienceEndpoint.class)
    static class EndpointConfiguration {

        @Bean
        EventLog resilienceEventLog() {
            return new EventLog();
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        ResilienceEndpoint resilienceEndpoint(
                ResilienceRuntime resilienceRuntime,
                EventLog resilienceEventLog,
                ObjectProvider<DeadLetterMethods> resilienceDeadLetterMethods,
                ObjectProvider<DeadLetterReplays> resilienceDeadLetterReplays) {
            return new ResilienceEndpoint(
                    resilienceRuntime::registry,
                    resilienceRuntime.warnings,
                    resilienceEventLog,
                    () -> new DeadLetterEntries(
                            resilienceRuntime.live(),
                            resilienceDeadLetterMethods.getObject(),
                            resilienceDeadLetterReplays.getObject()));
        }

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        ResilienceWebEndpointExtension resilienceWebEndpointExtension(ResilienceEndpoint endpoint) {
            return new ResilienceWebEndpointExtension(endpoint);
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
        @ConditionalOnClass({RequestBodyAdviceAdapter.class, AbstractWebMvcEndpointHandlerMapping.class})
        static class WebMvcConfiguration {

            @Bean
            static PolicyBodyAdvice resiliencePolicyBodyAdvice() {
                return new PolicyBodyAdvice();
            }
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
        @ConditionalOnClass(AbstractWebFluxEndpointHandlerMapping.class)
        static class WebFluxConfiguration {

            @Bean
            static PolicyBodyFilter resiliencePolicyBodyFilter() {
                return new PolicyBodyFilter();
            }
        }
    }
}
