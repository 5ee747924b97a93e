package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceWebAutoConfiguration;
import jakarta.annotation.security.RolesAllowed;
import jakarta.servlet.Filter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.security.access.annotation.Secured;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Who may not call a method neither claims a key nor gets the result of one who may, even where callers share keys. */
class AuthorizedCallsTests {

    private static void with(Use use) {
        new WebApplicationContextRunner()
                .withPropertyValues("resilience.idempotency.shared.scope=none")
                .withConfiguration(AutoConfigurations.of(
                        AopAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceWebAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        WebMvcAutoConfiguration.class))
                .withUserConfiguration(Security.class, Shop.class, Service.class)
                .withBean(AskedStore.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Filter security = context.getBean("springSecurityFilterChain", Filter.class);
                    MockMvcTester mvc = MockMvcTester.from(
                            context, builder -> builder.addFilters(security).build());
                    use.with(
                            (path, user) -> post(mvc, path, user),
                            context.getBean(AskedStore.class),
                            context.getBean(Service.class).calls());
                });
    }

    private static MvcTestResult post(MockMvcTester mvc, String path, @Nullable String user) {
        MockMvcTester.MockMvcRequestBuilder request = mvc.post().uri(path).header("Idempotency-Key", "k");
        if (user != null) {
            byte[] credentials = (user + ":secret").getBytes(StandardCharsets.UTF_8);
            request.header(
                    HttpHeaders.AUTHORIZATION, "Basic " + Base64.getEncoder().encodeToString(credentials));
        }
        return request.exchange();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/admin", "/pre-authorize", "/secured", "/roles-allowed", "/service"})
    void whoMayNotCallIsRefusedBeforeTheStoreIsAsked(String path) {
        with((client, store, calls) -> {
            assertThat(client.post(path, null)).hasStatus(401);
            assertThat(client.post(path, "bob")).hasStatus(403);
            assertThat(store.claims()).isZero();

            assertThat(client.post(path, "alice")).hasStatusOk().hasBodyTextEqualTo("secret 1");
            assertThat(client.post(path, "alice")).hasStatusOk().hasBodyTextEqualTo("secret 1");
            assertThat(client.post(path, "bob")).hasStatus(403).bodyText().doesNotContain("secret");
            assertThat(store.claims()).isEqualTo(2);
            assertThat(calls).hasValue(1);
        });
    }

    @Test
    void aResultThatWasStoredIsJudgedForEveryoneWhoAsksForIt() {
        with((client, store, calls) -> {
            assertThat(client.post("/post-authorize", "alice")).hasStatusOk().hasBodyTextEqualTo("for alice");
            assertThat(client.post("/post-authorize", "bob"))
                    .hasStatus(403)
                    .bodyText()
                    .doesNotContain("for alice");
            assertThat(client.post("/post-authorize", "alice")).hasStatusOk().hasBodyTextEqualTo("for alice");
            assertThat(calls).hasValue(1);
        });
    }

    @Test
    void twoPrincipalsWithOneKeyHaveResultsOfTheirOwn() {
        with((client, store, calls) -> {
            assertThat(client.post("/own", "alice")).hasBodyTextEqualTo("secret 1");
            assertThat(client.post("/own", "bob")).hasBodyTextEqualTo("secret 2");
            assertThat(client.post("/own", null)).hasBodyTextEqualTo("secret 3");
            assertThat(client.post("/own", null)).hasBodyTextEqualTo("secret 3");
            assertThat(client.post("/own", "alice")).hasBodyTextEqualTo("secret 1");
        });
    }

    /** What a test does with the application. */
    interface Use {

        void with(Client client, AskedStore store, AtomicInteger calls);
    }

    /** Sends requests of one key. */
    interface Client {

        MvcTestResult post(String path, @Nullable String user);
    }

    @RestController
    static class Shop {

        private final Service service;

        Shop(Service service) {
            this.service = service;
        }

        @PostMapping("/own")
        @Idempotent(header = "Idempotency-Key")
        String own() {
            return service.effect();
        }

        @PostMapping("/admin")
        @Idempotent(value = "shared", header = "Idempotency-Key")
        String byPath() {
            return service.effect();
        }

        @PostMapping("/pre-authorize")
        @PreAuthorize("hasRole('ADMIN')")
        @Idempotent(value = "shared", header = "Idempotency-Key")
        String preAuthorized() {
            return service.effect();
        }

        @PostMapping("/secured")
        @Secured("ROLE_ADMIN")
        @Idempotent(value = "shared", header = "Idempotency-Key")
        String secured() {
            return service.effect();
        }

        @PostMapping("/roles-allowed")
        @RolesAllowed("ADMIN")
        @Idempotent(value = "shared", header = "Idempotency-Key")
        String rolesAllowed() {
            return service.effect();
        }

        @PostMapping("/post-authorize")
        @PostAuthorize("returnObject == 'for ' + authentication.name")
        @Idempotent(value = "shared", header = "Idempotency-Key")
        String postAuthorized() {
            service.effect();
            return "for "
                    + SecurityContextHolder.getContext().getAuthentication().getName();
        }

        @PostMapping("/service")
        String service(@RequestHeader("Idempotency-Key") String key) {
            return service.preAuthorized(key);
        }
    }

    static class Service {

        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger calls() {
            return calls;
        }

        String effect() {
            return "secret " + calls.incrementAndGet();
        }

        @PreAuthorize("hasRole('ADMIN')")
        @Idempotent(value = "shared", key = "#key")
        String preAuthorized(String key) {
            return effect();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableWebSecurity
    @EnableMethodSecurity(securedEnabled = true, jsr250Enabled = true)
    static class Security {

        @Bean
        SecurityFilterChain filters(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.requestMatchers("/own")
                            .permitAll()
                            .requestMatchers("/admin")
                            .hasRole("ADMIN")
                            .anyRequest()
                            .authenticated())
                    .httpBasic(basic -> {})
                    .csrf(csrf -> csrf.disable())
                    .build();
        }

        @Bean
        InMemoryUserDetailsManager users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("alice")
                            .password("{noop}secret")
                            .roles("ADMIN")
                            .build(),
                    User.withUsername("bob")
                            .password("{noop}secret")
                            .roles("USER")
                            .build());
        }
    }
}
