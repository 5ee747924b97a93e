package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import java.security.Principal;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.context.ReactiveSecurityContextHolder;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.context.SecurityContextImpl;
import org.springframework.security.web.server.WebFilterChainProxy;
import org.springframework.security.web.server.context.NoOpServerSecurityContextRepository;
import org.springframework.security.web.server.context.ReactorContextWebFilter;
import org.springframework.test.web.reactive.server.WebTestClient;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.reactive.config.EnableWebFlux;
import org.springframework.web.server.WebFilter;
import reactor.core.publisher.Mono;

/** In a reactive application no thread knows the caller, and still no caller gets another's result. */
class ReactiveCallersTests {

    private static final String SHARED = "resilience.idempotency.default.scope=none";

    private final ReactiveWebApplicationContextRunner runner = new ReactiveWebApplicationContextRunner()
            .withPropertyValues("resilience.idempotency-store.type=memory")
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class, JacksonAutoConfiguration.class, ResilienceAutoConfiguration.class));

    @Test
    void nobodyToAskFailsTheStartupWhereSpringSecurityKnowsTheCaller() {
        runner.withBean(Accounts.class)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOfSatisfying(ResilienceConfigurationException.class, failure -> {
                            assertThat(failure)
                                    .hasMessageContaining(Accounts.class.getName() + ".balance(java.lang.String)")
                                    .hasMessageContaining("reactive web application");
                            assertThat(failure.action())
                                    .contains(
                                            "Return a Mono",
                                            "put the caller into the key",
                                            "'resilience.idempotency.default.scope: none'",
                                            "CallerScope");
                        }));
    }

    @Test
    void nobodyToAskIsFineWhereCallersShareTheirKeys() {
        runner.withBean(Accounts.class)
                .withPropertyValues(SHARED)
                .run(context -> assertThat(context).hasNotFailed().doesNotHaveBean(CallerScope.class));
    }

    @Test
    void nobodyToAskIsFineWithoutSpringSecurity() {
        runner.withBean(Accounts.class)
                .withClassLoader(new FilteredClassLoader(SecurityContextHolder.class))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void aBeanOfTheApplicationIsAsked() {
        AtomicInteger caller = new AtomicInteger();
        runner.withBean(Accounts.class)
                .withBean(CallerScope.class, () -> () -> "caller " + caller.incrementAndGet())
                .run(context -> {
                    Accounts accounts = context.getBean(Accounts.class);
                    assertThat(accounts.balance("k")).isEqualTo("balance 1");
                    assertThat(accounts.balance("k")).isEqualTo("balance 2");
                });
    }

    @Test
    void springSecurityTellsWhoSubscribesToAMono() {
        runner.withBean(Ledger.class).run(context -> {
            assertThat(context).hasNotFailed();
            Ledger ledger = context.getBean(Ledger.class);
            for (String caller : new String[] {"alice", "bob", "alice"}) {
                assertThat(ledger.balance("k")
                                .contextWrite(ReactiveSecurityContextHolder.withAuthentication(
                                        UsernamePasswordAuthenticationToken.authenticated(caller, "", List.of())))
                                .block())
                        .isEqualTo(caller.equals("alice") ? "balance 1" : "balance 2");
            }
        });
    }

    @Test
    void allRequestsWithoutAnAuthenticationAreOneCaller() {
        runner.withUserConfiguration(WebFlux.class)
                .withBean(Ledger.class)
                .withBean(Balances.class)
                .withBean(
                        WebFilter.class,
                        () -> new ReactorContextWebFilter(NoOpServerSecurityContextRepository.getInstance()))
                .run(ReactiveCallersTests::assertThatTwoRequestsAreOneCaller);
    }

    @Test
    void aCallThatHasLeftItsRequestIsNotMade() {
        runner.withBean(WebFilterChainProxy.class, () -> new WebFilterChainProxy(List.of()))
                .withBean(Ledger.class)
                .run(context -> {
                    Ledger ledger = context.getBean(Ledger.class);
                    assertThatThrownBy(() -> ledger.balance("k").block())
                            .isInstanceOf(IllegalStateException.class)
                            .hasMessageContainingAll("Ledger.balance", "not even an anonymous one");
                    assertThat(ledger.calls()).isZero();
                });
    }

    @Test
    void aContextWithoutAnAuthenticationIsThatOfTheUnauthenticated() {
        runner.withBean(WebFilterChainProxy.class, () -> new WebFilterChainProxy(List.of()))
                .withBean(Ledger.class)
                .run(context -> assertThat(context.getBean(Ledger.class)
                                .balance("k")
                                .contextWrite(ReactiveSecurityContextHolder.withSecurityContext(
                                        Mono.just(new SecurityContextImpl())))
                                .block())
                        .isEqualTo("balance 1"));
    }

    @Test
    void requestsThatNoFilterChainMatchesAreOneCaller() {
        runner.withConfiguration(SortedOnce.of(ResilienceWebAutoConfiguration.class))
                .withUserConfiguration(WebFlux.class)
                .withBean(WebFilterChainProxy.class, () -> new WebFilterChainProxy(List.of()))
                .withBean(Ledger.class)
                .withBean(Balances.class)
                .run(ReactiveCallersTests::assertThatTwoRequestsAreOneCaller);
    }

    @Test
    void withoutSpringSecuritysFiltersAllCallsAreOneCallers() {
        runner.withBean(Ledger.class).run(context -> {
            Ledger ledger = context.getBean(Ledger.class);
            assertThat(ledger.balance("k").block()).isEqualTo("balance 1");
            assertThat(ledger.balance("k").block()).isEqualTo("balance 1");
        });
    }

    private static void assertThatTwoRequestsAreOneCaller(ApplicationContext context) {
        WebTestClient client = WebTestClient.bindToApplicationContext(context).build();
        for (int i = 0; i < 2; i++) {
            client.get().uri("/balance").exchange().expectBody(String.class).isEqualTo("balance 1");
        }
    }

    @Test
    void callersInTheKeyAreKeptApart() {
        runner.withUserConfiguration(WebFlux.class)
                .withBean(Secrets.class)
                .withBean(WebFilter.class, () -> LOG_IN)
                .withPropertyValues(SHARED)
                .run(context -> {
                    WebTestClient client =
                            WebTestClient.bindToApplicationContext(context).build();
                    for (String caller : new String[] {"alice", "bob", "alice"}) {
                        client.post()
                                .uri("/secret")
                                .header("X-Name", caller)
                                .header("Idempotency-Key", "k")
                                .exchange()
                                .expectBody(String.class)
                                .isEqualTo("secret of " + caller);
                    }
                    assertThat(context.getBean(Secrets.class).calls()).hasValue(2);
                });
    }

    private static final WebFilter LOG_IN = (exchange, chain) -> {
        Principal caller =
                () -> String.valueOf(exchange.getRequest().getHeaders().getFirst("X-Name"));
        return chain.filter(exchange.mutate().principal(Mono.just(caller)).build());
    };

    public static class Accounts {

        private final AtomicInteger calls = new AtomicInteger();

        @Idempotent(key = "#key")
        public String balance(String key) {
            return "balance " + calls.incrementAndGet();
        }
    }

    public static class Ledger {

        private final AtomicInteger calls = new AtomicInteger();

        @Idempotent(key = "#key")
        public Mono<String> balance(String key) {
            return Mono.fromSupplier(() -> "balance " + calls.incrementAndGet());
        }

        public int calls() {
            return calls.get();
        }
    }

    @RestController
    static class Secrets {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        @PostMapping("/secret")
        @Idempotent(key = "#principal.name + '/' + #key")
        String secret(@RequestHeader("Idempotency-Key") String key, Principal principal) {
            calls.incrementAndGet();
            return "secret of " + principal.getName();
        }
    }

    @RestController
    static class Balances {

        private final Ledger ledger;

        Balances(Ledger ledger) {
            this.ledger = ledger;
        }

        @GetMapping("/balance")
        Mono<String> balance() {
            return ledger.balance("k");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebFlux
    static class WebFlux {}
}
