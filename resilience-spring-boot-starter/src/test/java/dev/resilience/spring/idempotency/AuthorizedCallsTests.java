package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import jakarta.annotation.security.RolesAllowed;
import jakarta.servlet.Filter;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
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
import org.springframework.security.crypto.bcrypt.BCryptPasswordEncoder;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** Who may not call a method neither claims a key nor gets the result of one who may, even where callers share keys. */
class AuthorizedCallsTests {

    private static final List<String> GUARDED =
            List.of("/admin", "/pre-authorize", "/secured", "/roles-allowed", "/service");

    private static void with(Use use) {
        IdempotentApplication.web()
                .withPropertyValues("resilience.idempotency.shared.scope=none")
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

    @Test
    void whoMayNotCallIsRefusedBeforeTheStoreIsAsked() {
        with((client, store, calls) -> {
            for (String path : GUARDED) {
                int claims = store.claims();
                calls.set(0);
                assertThat(client.post(path, null)).hasStatus(401);
                assertThat(client.post(path, "bob")).hasStatus(403);
                assertThat(store.claims()).as(path).isEqualTo(claims);

                assertThat(client.post(path, "alice")).hasStatusOk().hasBodyTextEqualTo("secret 1");
                assertThat(client.post(path, "alice")).hasStatusOk().hasBodyTextEqualTo("secret 1");
                assertThat(client.post(path, "bob")).hasStatus(403).bodyText().doesNotContain("secret");
                assertThat(store.claims()).as(path).isEqualTo(claims + 2);
                assertThat(calls).as(path).hasValue(1);
            }
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

        /** As weak as it can be: by default each request of each test takes a tenth of a second for it. */
        @Bean
        BCryptPasswordEncoder passwords() {
            return new BCryptPasswordEncoder(4);
        }

        @Bean
        InMemoryUserDetailsManager users(BCryptPasswordEncoder passwords) {
            User.UserBuilder user = User.builder().password("secret").passwordEncoder(passwords::encode);
            return new InMemoryUserDetailsManager(
                    user.username("alice").roles("ADMIN").build(),
                    user.username("bob").roles("USER").build());
        }
    }
}
