package dev.resilience.spring.autoconfigure;

import dev.resilience.context.Deadline;
import dev.resilience.spring.client.HttpClients;
import dev.resilience.spring.client.ResilienceExchangeFilter;
import dev.resilience.spring.client.ResilienceHttpInterceptor;
import dev.resilience.spring.web.DeadlineHeader;
import java.io.IOException;
import java.net.CookieHandler;
import java.net.CookieManager;
import java.net.CookiePolicy;
import java.net.URI;
import java.util.List;
import java.util.Map;
import org.apache.hc.client5.http.classic.HttpClient;
import org.apache.hc.client5.http.config.Configurable;
import org.apache.hc.client5.http.config.RequestConfig;
import org.apache.hc.client5.http.impl.classic.HttpClientBuilder;
import org.apache.hc.client5.http.protocol.HttpClientContext;
import org.apache.hc.core5.util.Timeout;
import org.eclipse.jetty.client.transport.HttpRequest;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.http.client.HttpComponentsClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JdkClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.JettyClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.ReactorClientHttpRequestFactoryBuilder;
import org.springframework.boot.http.client.autoconfigure.ClientHttpRequestFactoryBuilderCustomizer;
import org.springframework.boot.http.client.autoconfigure.reactive.ClientHttpConnectorBuilderCustomizer;
import org.springframework.boot.http.client.reactive.JdkClientHttpConnectorBuilder;
import org.springframework.boot.http.client.reactive.ReactorClientHttpConnectorBuilder;
import org.springframework.boot.restclient.RestClientCustomizer;
import org.springframework.boot.restclient.RestTemplateCustomizer;
import org.springframework.boot.webclient.WebClientCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.client.ClientHttpRequestInterceptor;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;

/** Protects the requests of the clients that Spring Boot's builders make, behind all other interceptors and filters. */
@AutoConfiguration(after = ResilienceAutoConfiguration.class)
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
                resilienceDeadlineHeader);
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({RestClient.class, RestClientCustomizer.class})
    static class BlockingConfiguration {

        @Bean
        @Lazy
        ResilienceHttpInterceptor resilienceHttpInterceptor(HttpClients resilienceHttpClients) {
            return new ResilienceHttpInterceptor(resilienceHttpClients);
        }

        @Bean
        @Order // the last
        RestClientCustomizer resilienceRestClientCustomizer(ResilienceHttpInterceptor resilienceHttpInterceptor) {
            return builder -> builder.requestInterceptors(all -> add(all, resilienceHttpInterceptor));
        }

        @Bean
        @Order
        RestTemplateCustomizer resilienceRestTemplateCustomizer(ResilienceHttpInterceptor resilienceHttpInterceptor) {
            return template -> add(template.getInterceptors(), resilienceHttpInterceptor);
        }

        @Bean
        ClientHttpRequestFactoryBuilderCustomizer<JdkClientHttpRequestFactoryBuilder> resilienceJdkCustomizer(
                HttpClients resilienceHttpClients) {
            return builder -> builder.withHttpClientCustomizer(client -> observe(client, resilienceHttpClients));
        }

        /** A client may be customized twice. */
        private static void add(List<ClientHttpRequestInterceptor> all, ResilienceHttpInterceptor ours) {
            if (!all.contains(ours)) {
                all.add(ours);
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({WebClient.class, WebClientCustomizer.class})
    static class ReactiveConfiguration {

        @Bean
        @Lazy
        ResilienceExchangeFilter resilienceExchangeFilter(HttpClients resilienceHttpClients) {
            return new ResilienceExchangeFilter(resilienceHttpClients);
        }

        @Bean
        ClientHttpConnectorBuilderCustomizer<JdkClientHttpConnectorBuilder> resilienceReactiveJdkCustomizer(
                HttpClients resilienceHttpClients) {
            return builder -> builder.withHttpClientCustomizer(client -> observe(client, resilienceHttpClients));
        }

        @Bean
        @Order
        WebClientCustomizer resilienceWebClientCustomizer(ResilienceExchangeFilter resilienceExchangeFilter) {
            return builder -> builder.filters(all -> {
                if (!all.contains(resilienceExchangeFilter)) {
                    all.add(resilienceExchangeFilter);
                }
            });
        }
    }

    /**
     * Apache's client repeats requests by itself, also a POST that was answered with 503; and it cannot be interrupted while it
     * waits for an answer, so the time that is left goes into the request.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({HttpClientBuilder.class, ClientHttpRequestFactoryBuilderCustomizer.class})
    static class ApacheConfiguration {

        @Bean
        ClientHttpRequestFactoryBuilderCustomizer<HttpComponentsClientHttpRequestFactoryBuilder>
                resilienceApacheCustomizer(HttpClients resilienceHttpClients) {
            return builder -> resilienceHttpClients.areThere()
                    ? builder.withHttpClientCustomizer(client -> client.disableAutomaticRetries()
                                    .addResponseInterceptorLast((answer, body, context) -> {
                                        if (answer.getCode() / 100 == 3
                                                && answer.containsHeader(HttpHeaders.LOCATION)) {
                                            resilienceHttpClients.redirected();
                                        }
                                    }))
                            .withCustomizer(factory -> factory.setHttpContextFactory(
                                    (method, uri) -> untilDeadline(factory.getHttpClient())))
                    : builder;
        }

        private static HttpClientContext untilDeadline(HttpClient client) {
            HttpClientContext context = HttpClientContext.create();
            Deadline deadline = Deadline.current();
            if (deadline != null && client instanceof Configurable configured) {
                RequestConfig usual = configured.getConfig();
                Timeout left = Timeout.of(deadline.left().plusMillis(1)); // 0 is for ever
                Timeout timeout = usual.getResponseTimeout();
                context.setRequestConfig(RequestConfig.copy(usual)
                        .setResponseTimeout(
                                timeout == null || timeout.isDisabled() || timeout.compareTo(left) > 0 ? left : timeout)
                        .build());
            }
            return context;
        }
    }

    /** Reactor's client sends a request again that was cut off, whatever it does. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({reactor.netty.http.client.HttpClient.class, ClientHttpConnectorBuilderCustomizer.class})
    static class ReactorConfiguration {

        @Bean
        ClientHttpConnectorBuilderCustomizer<ReactorClientHttpConnectorBuilder> resilienceReactorCustomizer(
                HttpClients resilienceHttpClients) {
            return builder -> resilienceHttpClients.areThere()
                    ? builder.withHttpClientCustomizer(client -> configure(client, resilienceHttpClients))
                    : builder;
        }

        @Bean
        ClientHttpRequestFactoryBuilderCustomizer<ReactorClientHttpRequestFactoryBuilder>
                resilienceBlockingReactorCustomizer(HttpClients resilienceHttpClients) {
            return builder -> resilienceHttpClients.areThere()
                    ? builder.withHttpClientCustomizer(client -> configure(client, resilienceHttpClients))
                    : builder;
        }

        private static reactor.netty.http.client.HttpClient configure(
                reactor.netty.http.client.HttpClient client, HttpClients clients) {
            return client.disableRetry(true).doOnRedirect((answer, connection) -> clients.redirected());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass({org.eclipse.jetty.client.HttpClient.class, ClientHttpRequestFactoryBuilderCustomizer.class})
    static class JettyConfiguration {

        @Bean
        ClientHttpRequestFactoryBuilderCustomizer<JettyClientHttpRequestFactoryBuilder> resilienceJettyCustomizer(
                HttpClients resilienceHttpClients) {
            return builder -> builder.withHttpClientCustomizer(client -> client.getRequestListeners()
                    .addQueuedListener(request -> {
                        if (request instanceof HttpRequest sent
                                && sent.getConversation().getExchanges().size() > 1) {
                            resilienceHttpClients.redirected();
                        }
                    }));
        }
    }

    /** Its cookies are all that the JDK's client shows of an answer that redirects. */
    private static void observe(java.net.http.HttpClient.Builder client, HttpClients clients) {
        if (!clients.areThere()) {
            return;
        }
        CookieHandler cookies =
                client.build().cookieHandler().orElse(new CookieManager(null, CookiePolicy.ACCEPT_NONE));
        client.cookieHandler(new CookieHandler() {
            @Override
            public Map<String, List<String>> get(URI uri, Map<String, List<String>> headers) throws IOException {
                return cookies.get(uri, headers);
            }

            @Override
            public void put(URI uri, Map<String, List<String>> headers) throws IOException {
                if (headers.containsKey(HttpHeaders.LOCATION)) {
                    clients.redirected();
                }
                cookies.put(uri, headers);
            }
        });
    }
}
