package dev.resilience.spring.autoconfigure;

import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.web.CallContextExtractor;
import dev.resilience.spring.web.CallContextServletFilter;
import dev.resilience.spring.web.CallContextWebFilter;
import dev.resilience.spring.web.ResilienceExceptionHandler;
import dev.resilience.spring.web.RetryRefusals;
import dev.resilience.spring.web.SelectiveHandlers;
import dev.resilience.time.TimeSource;
import jakarta.servlet.Filter;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
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
@ConditionalOnBean(name = ResilienceRuntime.REGISTRY)
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
        CallContextExtractor resilienceIncomingCalls(ResilienceRuntime resilienceRuntime, TimeSource time) {
            return new CallContextExtractor(resilienceRuntime.values().deadline(), time, true);
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
        static SelectiveHandlers.OfServlet resilienceServletAdvices() {
            return new SelectiveHandlers.OfServlet();
        }

        @Bean
        RetryRefusals.OfServlet resilienceRetryRefusals(ResilienceRuntime resilienceRuntime) {
            return new RetryRefusals.OfServlet(resilienceRuntime::refusesRetry);
        }

        @Bean
        WebMvcConfigurer resilienceWebMvcConfigurer() {
            return new WebMvcConfigurer() {
                @Override
                public void configureAsyncSupport(AsyncSupportConfigurer async) {
                    async.registerCallableInterceptors(new CallContextServletFilter.OnOtherThreads());
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.REACTIVE)
    @ConditionalOnClass({WebFilter.class, Mono.class, DispatchExceptionHandler.class})
    static class WebFluxConfiguration {

        @Bean
        static SelectiveHandlers.OfWebFlux resilienceReactiveAdvices() {
            return new SelectiveHandlers.OfWebFlux();
        }

        @Bean
        RetryRefusals.OfWebFlux resilienceRetryRefusals(ResilienceRuntime resilienceRuntime) {
            return new RetryRefusals.OfWebFlux(resilienceRuntime::refusesRetry);
        }

        @Bean
        CallContextExtractor resilienceIncomingCalls(
                ResilienceRuntime resilienceRuntime, TimeSource time, Environment environment) {
            boolean reachMethods =
                    "auto".equalsIgnoreCase(environment.getProperty("spring.reactor.context-propagation"))
                            && resilienceRuntime.isPresent("io.micrometer.context.ContextRegistry");
            return new CallContextExtractor(resilienceRuntime.values().deadline(), time, reachMethods);
        }

        @Bean
        CallContextWebFilter resilienceWebFilter(
                CallContextExtractor resilienceIncomingCalls, ResilienceRuntime resilienceRuntime) {
            CallContextWebFilter filter = new CallContextWebFilter(resilienceIncomingCalls, resilienceRuntime.warnings);
            resilienceRuntime.whenNeeded(() -> {
                boolean suppresses = resilienceRuntime.registry().retries().values().stream()
                        .anyMatch(retry -> retry.policy().nested() == RetryPolicy.Nested.SUPPRESS);
                if (suppresses || resilienceRuntime.properties.hasAnyBelow("deadline")) {
                    filter.warnIfUnheard();
                }
            });
            return filter;
        }
    }
}
