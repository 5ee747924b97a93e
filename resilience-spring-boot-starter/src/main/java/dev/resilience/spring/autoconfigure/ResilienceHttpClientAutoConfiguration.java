package dev.resilience.spring.autoconfigure;

import dev.resilience.spring.client.HttpClients;
import dev.resilience.spring.client.ResilienceExchangeFilter;
import dev.resilience.spring.client.ResilienceHttpInterceptor;
import dev.resilience.spring.web.DeadlineHeader;
import dev.resilience.time.TimeSource;
import java.util.List;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.http.client.ClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.ClientHttpRequestFactory;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Protects the requests of the clients that Spring Boot's builders make, behind all other interceptors and filters. */
@AutoConfiguration(
        after = ResilienceAutoConfiguration.class,
        afterName =
                "org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration")
@ConditionalOnClass(HttpHeaders.class)
@ConditionalOnBean(name = ResilienceRuntime.REGISTRY)
public final class ResilienceHttpClientAutoConfiguration {

    @Bean
    @Lazy
    HttpClients resilienceHttpClients(ResilienceRuntime resilienceRuntime, DeadlineHeader resilienceDeadlineHeader) {
        return new HttpClients(
                () -> resilienceRuntime.isNeeded()
                        ? resilienceRuntime
                                .live()
                                .<dev.resilience.spring.client.HttpClient>ofKind("http-client")
                                .values()
                        : List.of(),
                () -> resilienceRuntime.registry().environment.faults(),
                resilienceRuntime::mayHaveHttpClients,
                resilienceDeadlineHeader);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({ClientHttpRequestFactory.class, ClientHttpRequestFactoryBuilderCustomizer.class})
    static class LibraryConfiguration {

        @Bean
        HttpLibraries resilienceHttpLibraries(HttpClients resilienceHttpClients, TimeSource time) {
            return new HttpLibraries(resilienceHttpClients, time);
        }

        /** For blocking clients of a reactive application, for which Spring Boot has none. */
        @Bean
        @ConditionalOnMissingBean(ClientHttpRequestFactoryBuilder.class)
        ClientHttpRequestFactoryBuilder<?> resilienceRequestFactoryBuilder(HttpLibraries resilienceHttpLibraries) {
            return resilienceHttpLibraries.customize(ClientHttpRequestFactoryBuilder.detect());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(RestClient.class)
    static class BlockingConfiguration {

        @Bean
        @Lazy
        ResilienceHttpInterceptor resilienceHttpInterceptor(HttpClients resilienceHttpClients) {
            return new ResilienceHttpInterceptor(resilienceHttpClients);
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(RestClientCustomizer.class)
        static class CustomizerConfiguration {

            @Bean
            @Order // the last
            RestClientCustomizer resilienceRestClientCustomizer(ResilienceHttpInterceptor resilienceHttpInterceptor) {
                return builder -> builder.requestInterceptors(all -> add(all, resilienceHttpInterceptor));
            }

            @Bean
            @Order
            RestTemplateCustomizer resilienceRestTemplateCustomizer(
                    ResilienceHttpInterceptor resilienceHttpInterceptor) {
                return template -> add(template.getInterceptors(), resilienceHttpInterceptor);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WebClient.class)
    static class ReactiveConfiguration {

        @Bean
        @Lazy
        ResilienceExchangeFilter resilienceExchangeFilter(HttpClients resilienceHttpClients) {
            return new ResilienceExchangeFilter(resilienceHttpClients);
        }

        @Configuration(proxyBeanMethods = false)
        @ConditionalOnClass(WebClientCustomizer.class)
        static class CustomizerConfiguration {

            @Bean
            @Order
            WebClientCustomizer resilienceWebClientCustomizer(ResilienceExchangeFilter resilienceExchangeFilter) {
                return builder -> builder.filters(all -> add(all, resilienceExchangeFilter));
            }
        }
    }

    /** A client may be customized twice. */
    private static <T> void add(List<? super T> all, T ours) {
        if (!all.contains(ours)) {
            all.add(ours);
        }
    }
}
