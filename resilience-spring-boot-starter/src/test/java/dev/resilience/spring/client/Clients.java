package dev.resilience.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceHttpClientAutoConfiguration;
import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.reactive.ReactiveHttpClientAutoConfiguration;
import org.springframework.boot.http.codec.autoconfigure.CodecsAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.restclient.RestTemplateBuilder;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestTemplateAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.boot.webclient.autoconfigure.WebClientAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.http.client.ReactorResourceFactory;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.client.HttpStatusCodeException;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestTemplate;
import org.springframework.web.client.support.RestClientAdapter;
import org.springframework.web.reactive.function.client.WebClient;
import org.springframework.web.service.annotation.HttpExchange;
import org.springframework.web.service.invoker.HttpServiceProxyFactory;

/** The clients that an application makes by Spring Boot's builders, each on the libraries that it can have. */
enum Clients {
    REST_CLIENT_ON_JDK("jdk"),
    REST_CLIENT_ON_APACHE("http-components"),
    REST_CLIENT_ON_JETTY("jetty"),
    REST_CLIENT_ON_REACTOR("reactor"),
    REST_CLIENT_ON_CONNECTIONS("simple"),
    REST_TEMPLATE("jdk"),
    HTTP_INTERFACE("jdk"),
    WEB_CLIENT_ON_REACTOR("reactor"),
    WEB_CLIENT_ON_JDK("jdk"),
    WEB_CLIENT_ON_APACHE("http-components"),
    /** Never hears, about once in ten thousand times, that its connection was cut: no test of that is made with it. */
    WEB_CLIENT_ON_JETTY("jetty");

    /** An answer as the caller sees it. */
    record Answer(int status, @Nullable String body, HttpHeaders headers) {

        static Answer of(ResponseEntity<String> entity) {
            return new Answer(entity.getStatusCode().value(), entity.getBody(), entity.getHeaders());
        }
    }

    private final String library;

    Clients(String library) {
        this.library = library;
    }

    static List<Clients> reactive() {
        return Arrays.stream(values())
                .filter(client -> client.isReactive() && client != WEB_CLIENT_ON_JETTY)
                .toList();
    }

    boolean isReactive() {
        return name().startsWith("WEB_CLIENT");
    }

    /** An application with this client. Its retries wait no time. */
    ApplicationContextRunner application(String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceHttpClientAutoConfiguration.class,
                        HttpClientAutoConfiguration.class,
                        ImperativeHttpClientAutoConfiguration.class,
                        ReactiveHttpClientAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class,
                        CodecsAutoConfiguration.class,
                        RestClientAutoConfiguration.class,
                        RestTemplateAutoConfiguration.class,
                        WebClientAutoConfiguration.class))
                .withPropertyValues(
                        (isReactive()
                                        ? "spring.http.clients.reactive.connector="
                                        : "spring.http.clients.imperative.factory=")
                                + library,
                        "resilience.idempotency-store.type=memory",
                        "resilience.retry.backend.backoff.base-delay=0",
                        "resilience.retry.backend.budget=none")
                .withBean(OneOfEach.class)
                .withBean(ReactorResourceFactory.class, LastingResources::new)
                .withPropertyValues(properties);
    }

    /** Runs an application in which an entry {@code backend} repeats requests to 127.0.0.1. */
    void run(ContextConsumer<AssertableApplicationContext> use, String... properties) {
        application("resilience.http-client.backend.hosts=127.0.0.1", "resilience.http-client.backend.retry=backend")
                .withPropertyValues(properties)
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    use.accept(application);
                });
    }

    /** Sends a request; an answer of any status is an answer. */
    Answer send(
            ApplicationContext application, HttpMethod method, String url, @Nullable String body, String... headers) {
        return switch (this) {
            case REST_TEMPLATE -> viaTemplate(application, method, url, body, headers);
            case HTTP_INTERFACE -> viaInterface(application, method, url, body, headers);
            default ->
                isReactive()
                        ? viaWebClient(application, method, url, body, headers)
                        : viaRestClient(application, method, url, body, headers);
        };
    }

    private static void add(HttpHeaders all, String... headers) {
        for (int i = 0; i < headers.length; i += 2) {
            all.add(headers[i], headers[i + 1]);
        }
    }

    private static Answer viaRestClient(
            ApplicationContext application, HttpMethod method, String url, @Nullable String body, String... headers) {
        RestClient client = application.getBean(OneOfEach.class).restClient;
        RestClient.RequestBodySpec request =
                client.method(method).uri(URI.create(url)).headers(all -> add(all, headers));
        if (body != null) {
            request.body(body);
        }
        return Answer.of(request.retrieve()
                .onStatus(status -> true, (asked, answer) -> {})
                .toEntity(String.class));
    }

    private static Answer viaTemplate(
            ApplicationContext application, HttpMethod method, String url, @Nullable String body, String... headers) {
        HttpHeaders all = new HttpHeaders();
        add(all, headers);
        try {
            return Answer.of(application
                    .getBean(OneOfEach.class)
                    .template
                    .exchange(URI.create(url), method, new HttpEntity<>(body, all), String.class));
        } catch (HttpStatusCodeException failed) {
            return new Answer(
                    failed.getStatusCode().value(),
                    failed.getResponseBodyAsString(),
                    failed.getResponseHeaders() == null ? new HttpHeaders() : failed.getResponseHeaders());
        }
    }

    /** Another service, as an interface. */
    @HttpExchange
    interface Backend {

        @HttpExchange
        ResponseEntity<String> exchange(HttpMethod method, URI uri, @RequestHeader Map<String, String> headers);

        @HttpExchange
        ResponseEntity<String> exchange(
                HttpMethod method, URI uri, @RequestHeader Map<String, String> headers, @RequestBody String body);
    }

    private static Answer viaInterface(
            ApplicationContext application, HttpMethod method, String url, @Nullable String body, String... headers) {
        Map<String, String> all = headers.length == 0 ? Map.of() : Map.of(headers[0], headers[1]);
        Backend backend = application.getBean(OneOfEach.class).backend;
        try {
            return Answer.of(
                    body == null
                            ? backend.exchange(method, URI.create(url), all)
                            : backend.exchange(method, URI.create(url), all, body));
        } catch (HttpStatusCodeException failed) {
            return new Answer(
                    failed.getStatusCode().value(),
                    failed.getResponseBodyAsString(),
                    failed.getResponseHeaders() == null ? new HttpHeaders() : failed.getResponseHeaders());
        }
    }

    private static Answer viaWebClient(
            ApplicationContext application, HttpMethod method, String url, @Nullable String body, String... headers) {
        WebClient.RequestBodySpec request = application
                .getBean(OneOfEach.class)
                .webClient
                .method(method)
                .uri(URI.create(url))
                .headers(all -> add(all, headers));
        if (body != null) {
            request.bodyValue(body);
        }
        return Objects.requireNonNull(
                request.exchangeToMono(answer -> answer.toEntity(String.class).map(Answer::of))
                        .block());
    }

    /** One client of each kind, made once, as applications do. */
    static final class OneOfEach {

        final RestClient restClient;
        final RestTemplate template;
        final Backend backend;
        final WebClient webClient;

        OneOfEach(RestClient.Builder rest, RestTemplateBuilder templates, WebClient.Builder web) {
            restClient = rest.build();
            template = templates.build();
            backend = HttpServiceProxyFactory.builderFor(RestClientAdapter.create(restClient))
                    .build()
                    .createClient(Backend.class);
            webClient = web.build();
        }
    }

    /** Reactor's threads, which all tests share: they do not end with the application. */
    private static final class LastingResources extends ReactorResourceFactory {

        @Override
        public void stop() {}

        @Override
        public void destroy() {}
    }
}
