package dev.resilience.spring.autoconfigure;

import dev.resilience.deadletter.LetterReplayer;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.actuate.EventLog;
import dev.resilience.spring.actuate.PolicyBodyAdvice;
import dev.resilience.spring.actuate.PolicyBodyDecoder;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.actuate.ResilienceWebEndpointExtension;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.registry.PolicyChanges;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.webflux.actuate.endpoint.web.AbstractWebFluxEndpointHandlerMapping;
import org.springframework.boot.webmvc.actuate.endpoint.web.AbstractWebMvcEndpointHandlerMapping;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.codec.ServerCodecConfigurer;
import org.springframework.web.reactive.config.WebFluxConfigurer;
import org.springframework.web.servlet.mvc.method.annotation.RequestBodyAdviceAdapter;

/** The actuator endpoint. */
@AutoConfiguration(after = ResilienceAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnAvailableEndpoint.class)
@ConditionalOnBean(ResilienceRegistry.class)
@ConditionalOnAvailableEndpoint(ResilienceEndpoint.class)
public final class ResilienceEndpointAutoConfiguration {

    @Bean
    EventLog resilienceEventLog() {
        return new EventLog();
    }

    @Bean
    @ConditionalOnMissingBean
    ResilienceEndpoint resilienceEndpoint(
            LiveRegistry resilienceLiveRegistry,
            Kinds resilienceKinds,
            StartupWarnings resilienceStartupWarnings,
            EventLog resilienceEventLog,
            PolicyChanges resiliencePolicyChanges,
            LetterReplayer replayer) {
        return new ResilienceEndpoint(
                resilienceLiveRegistry,
                resilienceKinds,
                resilienceStartupWarnings,
                resilienceEventLog,
                resiliencePolicyChanges,
                replayer);
    }

    @Bean
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
    @ConditionalOnClass({WebFluxConfigurer.class, AbstractWebFluxEndpointHandlerMapping.class})
    static class WebFluxConfiguration {

        @Bean
        static WebFluxConfigurer resiliencePolicyBodyConfigurer() {
            return new WebFluxConfigurer() {
                @Override
                public void configureHttpMessageCodecs(ServerCodecConfigurer codecs) {
                    codecs.customCodecs().register(new PolicyBodyDecoder());
                }
            };
        }
    }
}
