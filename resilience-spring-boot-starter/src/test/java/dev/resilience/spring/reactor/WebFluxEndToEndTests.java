package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.context.Deadline;
import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.context.ContextRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpMethod;
import org.springframework.http.ResponseEntity;
import org.springframework.scheduling.annotation.Async;
import org.springframework.scheduling.annotation.EnableAsync;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.reactive.EnableWebFluxSecurity;
import org.springframework.security.config.web.server.ServerHttpSecurity;
import org.springframework.security.core.userdetails.MapReactiveUserDetailsService;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetails;
import org.springframework.security.web.server.SecurityWebFilterChain;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** On Netty, behind Spring Security, and without automatic context propagation. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class WebFluxEndToEndTests {

    private static final ThreadLocal<String> TENANT = new ThreadLocal<>();

    private ConfigurableApplicationContext application;
    private WebTestClient client;

    @BeforeAll
    void start() {
        ContextRegistry.getInstance().registerThreadLocalAccessor("tenant", TENANT);
        application = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.REACTIVE)
                .properties(
                        "server.port=0",
                        "resilience.idempotency-store.type=memory",
                        "resilience.retry.default.backoff.base-delay=0",
                        "resilience.retry.quiet.nested=suppress")
                .run();
        client = WebTestClient.bindToServer()
                .baseUrl("http://localhost:" + application.getEnvironment().getProperty("local.server.port"))
                .responseTimeout(Duration.ofSeconds(60)) // 5 s by default, which a busy machine may need
                .build();
    }

    @AfterAll
    void stop() {
        application.close();
        ContextRegistry.getInstance().removeThreadLocalAccessor("tenant");
    }

    @Test
    void callersOfOneKeyGetTheirOwnResults() {
        assertThat(pay("alice", "k")).isEqualTo("paid 1");
        assertThat(pay("bob", "k")).isEqualTo("paid 2");
        assertThat(pay("alice", "k")).isEqualTo("paid 1");
    }

    @Test
    void answersWithoutAClassAreRepeatedToTheirCallers() {
        for (int call = 0; call < 2; call++) {
            for (String caller : new String[] {"alice", "bob"}) {
                client.post()
                        .uri("/order")
                        .headers(headers -> headers.setBasicAuth(caller, "secret"))
                        .header("Idempotency-Key", "order")
                        .exchange()
                        .expectStatus()
                        .isAccepted()
                        .expectBody()
                        .json("{\"number\":" + (caller.equals("alice") ? 1 : 2) + "}");
            }
        }
    }

    @Test
    void aHeadRequestGetsTheHeadOfTheAnswer() {
        for (HttpMethod method : new HttpMethod[] {HttpMethod.HEAD, HttpMethod.GET, HttpMethod.HEAD}) {
            client.method(method)
                    .uri("/report")
                    .headers(headers -> headers.setBasicAuth("alice", "secret"))
                    .header("Idempotency-Key", "report")
                    .exchange()
                    .expectStatus()
                    .isOk()
                    .expectHeader()
                    .valueEquals(HttpHeaders.ETAG, "\"1\"")
                    .expectHeader()
                    .contentLength(12)
                    .expectBody(String.class)
                    .isEqualTo(HttpMethod.GET.equals(method) ? "{\"number\":1}" : null);
        }
    }

    @Test
    void aClientThatHasTheAnswerGetsNone() {
        for (String tag : new String[] {"\"1\"", "\"0\"", "\"1\""}) {
            client.get()
                    .uri("/report")
                    .headers(headers -> headers.setBasicAuth("bob", "secret"))
                    .header("Idempotency-Key", "conditional")
                    .header(HttpHeaders.IF_NONE_MATCH, tag)
                    .exchange()
                    .expectStatus()
                    .isEqualTo(tag.equals("\"1\"") ? 304 : 200);
        }
    }

    @Test
    void theDeadlineOfARequestReachesTheMethod() {
        assertThat(get("/left", "X-Request-Deadline-Ms", "1500")).isEqualTo("PT1.5S");
        client.get()
                .uri("/left")
                .headers(headers -> headers.setBasicAuth("alice", "secret"))
                .header("X-Request-Deadline-Ms", "0")
                .exchange()
                .expectStatus()
                .isEqualTo(504);
    }

    @Test
    void aRepetitionIsNotRepeated() {
        assertThat(get("/attempts", "X-Attempt-Number", "2")).isEqualTo("attempt 2 of the retry of another service");
    }

    @Test
    void aStreamIsProtected() {
        assertThat(get("/stream", "X-None", "")).isEqualTo("123");
    }

    @Test
    void threadLocalsComeOutOfReactorsContextForEveryAttempt() {
        application.getBean(Callee.class).failNext(2);
        String seen = application
                .getBean(Shop.class)
                .tenant()
                .contextWrite(reactor -> reactor.put("tenant", "acme"))
                .block();
        assertThat(seen).isEqualTo("acme at answer 3");
        assertThat(TENANT.get()).isNull();
    }

    private String pay(String caller, String key) {
        return client.post()
                .uri("/pay")
                .headers(headers -> headers.setBasicAuth(caller, "secret"))
                .header("Idempotency-Key", key)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
    }

    private String get(String path, String header, String value) {
        return client.get()
                .uri(path)
                .headers(headers -> headers.setBasicAuth("alice", "secret"))
                .header(header, value)
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAsync
    @EnableAutoConfiguration
    @EnableWebFluxSecurity
    @Import({Shop.class, Callee.class, ManualTimeSource.class})
    static class Application {

        @Bean
        MapReactiveUserDetailsService users() {
            return new MapReactiveUserDetailsService(user("alice"), user("bob"));
        }

        @SuppressWarnings("deprecation") // not for production
        private static UserDetails user(String name) {
            return User.withDefaultPasswordEncoder()
                    .username(name)
                    .password("secret")
                    .roles("USER")
                    .build();
        }

        @Bean
        SecurityWebFilterChain security(ServerHttpSecurity http) {
            return http.csrf(ServerHttpSecurity.CsrfSpec::disable)
                    .httpBasic(Customizer.withDefaults())
                    .authorizeExchange(exchanges -> exchanges.anyExchange().authenticated())
                    .build();
        }
    }

    @RestController
    static class Shop {

        private final AtomicInteger calls = new AtomicInteger();
        private final AtomicInteger orders = new AtomicInteger();
        private final Callee callee;

        Shop(Callee callee) {
            this.callee = callee;
        }

        @PostMapping("/pay")
        @Idempotent(key = "#key")
        Mono<String> pay(@RequestHeader("Idempotency-Key") String key) {
            return Mono.fromSupplier(() -> "paid " + calls.incrementAndGet());
        }

        @PostMapping("/order")
        @Idempotent(header = "Idempotency-Key")
        Mono<ResponseEntity<Map<String, Object>>> order() {
            return Mono.fromSupplier(() -> ResponseEntity.accepted().body(Map.of("number", orders.incrementAndGet())));
        }

        @GetMapping("/report")
        @Idempotent(header = "Idempotency-Key")
        Mono<ResponseEntity<Map<String, Object>>> report() {
            return Mono.fromSupplier(() -> ResponseEntity.ok().eTag("\"1\"").body(Map.of("number", 1)));
        }

        /** What stands around it on the proxy must not ask for the callers of Monos when they are assembled. */
        @Async
        void audit() {}

        @GetMapping("/left")
        @Retryable("default")
        Mono<String> left() {
            return Mono.deferContextual(reactor -> {
                Deadline deadline = ReactiveCallContext.of(reactor).deadline();
                return Mono.just(String.valueOf(deadline == null ? null : deadline.left()));
            });
        }

        @GetMapping("/attempts")
        @Retryable("quiet")
        Mono<String> attempts() {
            return Mono.deferContextual(reactor ->
                    Mono.just(String.valueOf(ReactiveCallContext.of(reactor).attempt())));
        }

        @GetMapping("/stream")
        @Bulkhead("default")
        Flux<String> stream() {
            return Flux.just("1", "2", "3");
        }

        @Retryable("default")
        Mono<String> tenant() {
            String tenant = TENANT.get();
            return Mono.fromFuture(callee.callAsync()).map(answer -> tenant + " at " + answer);
        }
    }
}
