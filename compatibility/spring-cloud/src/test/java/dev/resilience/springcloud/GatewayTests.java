package dev.resilience.springcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.CircuitState;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.gateway.filter.factory.FallbackHeadersGatewayFilterFactory;
import org.springframework.cloud.gateway.filter.factory.SpringCloudCircuitBreakerFilterFactory;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Routes of a gateway on WebFlux that defines no filter of its own. */
class GatewayTests {

    private static Backend backend;
    private static ConfigurableApplicationContext gateway;
    private static HttpClient client;

    private final ResilienceRegistry registry = gateway.getBean(ResilienceRegistry.class);

    @BeforeAll
    static void start() {
        backend = new Backend();
        client = HttpClient.newHttpClient();
        gateway = new SpringApplicationBuilder(Gateway.class)
                .properties(
                        "server.port=0",
                        "spring.main.web-application-type=reactive",
                        "spring.main.banner-mode=off",
                        "resilience.circuit-breaker.default.failure-threshold=2",
                        "resilience.circuit-breaker.default.half-open.success-threshold=1")
                .properties(
                        route(0, "answered", "name=answered", "fallbackUri=forward:/fallback", "statusCodes[0]=500"))
                .properties(route(1, "bare", "name=bare", "statusCodes[0]=404"))
                .properties(route(2, "unnamed"))
                .run();
    }

    /** Properties of a route with a filter that has these arguments. */
    private static Map<String, Object> route(int index, String path, String... arguments) {
        String at = "spring.cloud.gateway.server.webflux.routes[" + index + "].";
        Map<String, Object> route = new HashMap<>(Map.of(
                at + "id",
                "route-of-" + path,
                at + "uri",
                backend.url(),
                at + "predicates[0]",
                "Path=/" + path,
                at + "filters[0].name",
                "CircuitBreaker"));
        for (String argument : arguments) {
            String[] parts = argument.split("=", 2);
            route.put(at + "filters[0].args." + parts[0], parts[1]);
        }
        return route;
    }

    @AfterAll
    static void stop() {
        gateway.close();
        backend.close();
    }

    @BeforeEach
    void closeAll() {
        registry.circuitBreakers().values().forEach(breaker -> breaker.reset());
        backend.answersWith(200);
    }

    @Test
    void aRouteThatFailsIsAnsweredByItsFallbackUntilTheServiceIsBack() {
        backend.answersWith(500);
        int before = backend.calls();

        assertThat(get("/answered").body()).isEqualTo("from the fallback");
        assertThat(get("/answered").body()).isEqualTo("from the fallback");
        assertThat(registry.circuitBreaker("answered").currentState()).isEqualTo(CircuitState.OPEN);
        assertThat(get("/answered").body()).isEqualTo("from the fallback");
        assertThat(backend.calls() - before).isEqualTo(2);

        backend.answersWith(200);
        gateway.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(31));
        assertThat(get("/answered").body()).isEqualTo("from the backend");
        assertThat(registry.circuitBreaker("answered").currentState()).isEqualTo(CircuitState.CLOSED);
    }

    @Test
    void aStatusIsAFailureIfTheRouteListsIt() {
        backend.answersWith(500);
        get("/bare");
        get("/bare");
        assertThat(registry.circuitBreaker("bare").currentState()).isEqualTo(CircuitState.CLOSED);

        backend.answersWith(404);
        get("/bare");
        get("/bare");
        assertThat(registry.circuitBreaker("bare").currentState()).isEqualTo(CircuitState.OPEN);
    }

    @Test
    void aRefusalWithoutAFallbackSaysWhenToComeAgain() {
        registry.circuitBreaker("bare").forceOpen();

        HttpResponse<String> answer = get("/bare");

        assertThat(answer.statusCode()).isEqualTo(503);
        assertThat(answer.headers().firstValue("Retry-After")).isPresent();
        assertThat(answer.body()).contains("urn:resilience:problem:circuit-open");
    }

    @Test
    void aFilterWithoutANameHasThatOfItsRoute() {
        assertThat(get("/unnamed").body()).isEqualTo("from the backend");

        assertThat(registry.circuitBreakers()).containsKey("route-of-unnamed");
    }

    @Test
    void aFilterWithNeitherANameNorARouteIsRefused() {
        SpringCloudCircuitBreakerFilterFactory filters = gateway.getBean(SpringCloudCircuitBreakerFilterFactory.class);

        assertThatThrownBy(() -> filters.apply(filters.newConfig())).hasMessageContaining("has no id: give it one");
    }

    @Test
    void theFilterForHeadersOfFallbacksIsThere() {
        assertThat(gateway.getBean(FallbackHeadersGatewayFilterFactory.class)).isNotNull();
    }

    private static HttpResponse<String> get(String path) {
        URI uri = URI.create("http://127.0.0.1:" + gateway.getEnvironment().getProperty("local.server.port") + path);
        try {
            return client.send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        } catch (IOException | InterruptedException failed) {
            throw new AssertionError(failed);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @RestController
    static class Gateway {

        @Bean
        ManualTimeSource time() {
            return new ManualTimeSource();
        }

        @RequestMapping("/fallback")
        String fallback() {
            return "from the fallback";
        }
    }
}
