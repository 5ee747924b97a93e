package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.actuate.DeadLetterEntries;
import dev.resilience.spring.actuate.EventLog;
import dev.resilience.spring.actuate.PolicyBodyAdvice;
import dev.resilience.spring.actuate.PolicyBodyFilter;
import dev.resilience.spring.actuate.ResilienceDashboard;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.actuate.ResilienceHealthIndicator;
import dev.resilience.spring.actuate.ResilienceWebEndpointExtension;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetterReplays;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.EndpointAccessResolver;
import org.springframework.boot.actuate.endpoint.web.PathMappedEndpoints;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.webflux.actuate.endpoint.web.AbstractWebFluxEndpointHandlerMapping;
import org.springframework.boot.webmvc.actuate.endpoint.web.AbstractWebMvcEndpointHandlerMapping;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.env.Environment;
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
    @Conditional(OneIsAvailable.class)
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

        @Bean
        @Lazy
        @ConditionalOnMissingBean
        @ConditionalOnAvailableEndpoint
        @ConditionalOnWebApplication // of a context and its parent the one that has the paths
        ResilienceDashboard resilienceDashboard(
                ResilienceEndpoint endpoint,
                Environment environment,
                ObjectProvider<PathMappedEndpoints> paths,
                ObjectProvider<EndpointAccessResolver> access) {
            return new ResilienceDashboard(
                    endpoint,
                    environment.getProperty("spring.application.name", ""),
                    paths::getObject,
                    access::getObject);
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

    /** The dashboard shows what the endpoint knows, be that exposed itself or not. */
    static final class OneIsAvailable extends AnyNestedCondition {

        OneIsAvailable() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnAvailableEndpoint(ResilienceEndpoint.class)
        static class OfPolicies {}

        @ConditionalOnAvailableEndpoint(ResilienceDashboard.class)
        static class OfPage {}
    }
}
