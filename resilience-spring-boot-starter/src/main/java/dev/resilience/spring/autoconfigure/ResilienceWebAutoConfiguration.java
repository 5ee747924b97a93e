package dev.resilience.spring.autoconfigure;

import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.properties.GeneralProperties;
import dev.resilience.spring.web.CallContextCallableInterceptor;
import dev.resilience.spring.web.CallContextExtractor;
import dev.resilience.spring.web.CallContextServletFilter;
import dev.resilience.spring.web.CallContextWebFilter;
import dev.resilience.spring.web.DeadlineHeader;
import dev.resilience.spring.web.DeadlineTrust;
import dev.resilience.spring.web.ReactiveAdvices;
import dev.resilience.spring.web.ResilienceExceptionHandler;
import dev.resilience.spring.web.ServletAdvices;
import dev.resilience.time.TimeSource;
import jakarta.servlet.Filter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.util.ClassUtils;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.server.WebFilter;
import org.springframework.web.servlet.config.annotation.AsyncSupportConfigurer;
import org.springframework.web.servlet.config.annotation.WebMvcConfigurer;
import reactor.core.publisher.Mono;

/** Requests bring a deadline with them; refusals that leave a controller become problem details. */
@AutoConfiguration(after = ResilienceAutoConfiguration.class)
@ConditionalOnWebApplication
@ConditionalOnClass(ControllerAdvice.class)
@ConditionalOnBean(ResilienceRegistry.class)
public final class ResilienceWebAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    ResilienceExceptionHandler resilienceExceptionHandler() {
        return new ResilienceExceptionHandler();
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(Filter.class)
    static class ServletConfiguration {

        @Bean
        CallContextExtractor resilienceIncomingCalls(
                DeadlineHeader resilienceDeadlineHeader, DeadlineTrust resilienceDeadlineTrust, TimeSource time) {
            return new CallContextExtractor(resilienceDeadlineHeader, resilienceDeadlineTrust, time, true);
        }

        @Bean
        CallContextServletFilter resilienceServletFilter(CallContextExtractor resilienceIncomingCalls) {
            return new CallContextServletFilter(resilienceIncomingCalls);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass({Filter.class, WebMvcConfigurer.class})
    static class WebMvcConfiguration {

        @Bean
        static ServletAdvices resilienceServletAdvices() {
            return new ServletAdvices();
        }

        @Bean
        WebMvcConfigurer resilienceWebMvcConfigurer() {
            return new WebMvcConfigurer() {
                @Override
                public void configureAsyncSupport(AsyncSupportConfigurer async) {
                    async.registerCallableInterceptors(new CallContextCallableInterceptor());
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({WebFilter.class, Mono.class, DispatchExceptionHandler.class})
    static class WebFluxConfiguration {

        @Bean
        static ReactiveAdvices resilienceReactiveAdvices() {
            return new ReactiveAdvices();
        }

        @Bean
        CallContextExtractor resilienceIncomingCalls(
                DeadlineHeader resilienceDeadlineHeader,
                DeadlineTrust resilienceDeadlineTrust,
                TimeSource time,
                ApplicationContext application) {
            return new CallContextExtractor(
                    resilienceDeadlineHeader, resilienceDeadlineTrust, time, travels(application));
        }

        @Bean
        CallContextWebFilter resilienceWebFilter(
                CallContextExtractor resilienceIncomingCalls,
                StartupWarnings resilienceStartupWarnings,
                ResilienceRegistry resilienceRegistry,
                ApplicationContext application) {
            CallContextWebFilter filter = new CallContextWebFilter(resilienceIncomingCalls, resilienceStartupWarnings);
            boolean wanted = resilienceRegistry.retries().values().stream()
                    .anyMatch(retry -> retry.policy().nested() == RetryPolicy.Nested.SUPPRESS);
            if (wanted || isConfigured(application)) {
                filter.warnIfUnheard();
            }
            return filter;
        }

        private static boolean isConfigured(ApplicationContext application) {
            return GeneralProperties.keys(application.getEnvironment())
                    .hasAnyBelow(ConfigurationPropertyName.of("resilience.deadline"));
        }

        private static boolean travels(ApplicationContext application) {
            String mode = application.getEnvironment().getProperty("spring.reactor.context-propagation");
            return "auto".equalsIgnoreCase(mode)
                    && ClassUtils.isPresent("io.micrometer.context.ContextRegistry", application.getClassLoader());
        }
    }
}
