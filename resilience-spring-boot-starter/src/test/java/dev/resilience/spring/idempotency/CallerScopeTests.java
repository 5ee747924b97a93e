package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.CallerScope;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import jakarta.servlet.Filter;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.security.authentication.AbstractAuthenticationToken;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.RememberMeAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.authentication.UsernamePasswordAuthenticationToken;
import org.springframework.security.core.AuthenticatedPrincipal;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;
import reactor.core.publisher.Mono;

/** One caller never sees another's result. */
class CallerScopeTests {

    @AfterEach
    void logOut() {
        SecurityContextHolder.clearContext();
    }

    private static void logIn(String name) {
        TestingAuthenticationToken authentication = new TestingAuthenticationToken(name, "secret", "ROLE_USER");
        SecurityContextHolder.getContext().setAuthentication(authentication);
    }

    @Nested
    class BySpringSecurity {

        @Test
        void everyPrincipalHasKeysOfItsOwn() {
            IdempotentApplication.with(Payments.class, payments -> {
                logIn("alice");
                assertThat(payments.pay("k")).isEqualTo(1);
                logIn("bob");
                assertThat(payments.pay("k")).isEqualTo(2);
                logIn("alice");
                assertThat(payments.pay("k")).isEqualTo(1);
            });
        }

        @Test
        void allWhoAreNotAuthenticatedAreOneCaller() {
            IdempotentApplication.with(Payments.class, payments -> {
                assertThat(payments.pay("k")).isEqualTo(1);

                Authentication anonymous = new AnonymousAuthenticationToken(
                        "key", "anonymousUser", AuthorityUtils.createAuthorityList("ROLE_ANONYMOUS"));
                SecurityContextHolder.getContext().setAuthentication(anonymous);
                assertThat(payments.pay("k")).isEqualTo(1);

                Authentication rejected = new TestingAuthenticationToken("alice", "wrong");
                SecurityContextHolder.getContext().setAuthentication(rejected);
                assertThat(rejected.isAuthenticated()).isFalse();
                assertThat(payments.pay("k")).isEqualTo(1);

                logIn("alice");
                assertThat(payments.pay("k")).isEqualTo(2);
            });
        }

        @Test
        void aCallersNameAndAKeyDoNotRunTogether() {
            IdempotentApplication.with(Payments.class, payments -> {
                logIn("al");
                assertThat(payments.pay("icek")).isEqualTo(1);
                logIn("alice");
                assertThat(payments.pay("k")).isEqualTo(2);
            });
        }
    }

    /** A coroutine is refused likewise. */
    @Nested
    class InAServletApplication {

        @Test
        void aMonoThatHasLeftTheRequestsThreadIsNotCalled() {
            new WebApplicationContextRunner()
                    .withPropertyValues("resilience.idempotency-store.type=memory")
                    .withConfiguration(SortedOnce.of(
                            AopAutoConfiguration.class,
                            JacksonAutoConfiguration.class,
                            ResilienceAutoConfiguration.class))
                    .withBean("springSecurityFilterChain", Filter.class, () -> (request, response, chain) -> {})
                    .withBean(Orders.class)
                    .run(context -> {
                        Orders orders = context.getBean(Orders.class);
                        logIn("alice");
                        assertThat(orders.place("k").block()).isEqualTo(1);
                        Mono<Integer> later = orders.place("k");
                        assertThatThrownBy(() -> CompletableFuture.supplyAsync(
                                                later::block, task -> new Thread(task).start())
                                        .join())
                                .cause()
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("Orders.place")
                                .hasMessageContaining("not even an anonymous one");
                        logIn("bob");
                        assertThat(orders.place("k").block()).isEqualTo(2);
                    });
        }

        static class Orders {

            private final AtomicInteger orders = new AtomicInteger();

            @Idempotent(key = "#key")
            public Mono<Integer> place(String key) {
                return Mono.just(orders.incrementAndGet());
            }
        }
    }

    @Nested
    class OfEqualNames {

        @Test
        void areSeveralCallersIfSeveralIssuersVouchForThem() {
            IdempotentApplication.with(Payments.class, payments -> {
                logIn(new Token("alice", "https://one.example"));
                assertThat(payments.pay("k")).isEqualTo(1);
                logIn(new Token("alice", "https://two.example"));
                assertThat(payments.pay("k")).isEqualTo(2);
                logIn(password("alice"));
                assertThat(payments.pay("k")).isEqualTo(3);
                logIn(password("https://one.example\nalice"));
                assertThat(payments.pay("k")).isEqualTo(4);
                logIn(new Login("alice", "github"));
                assertThat(payments.pay("k")).isEqualTo(5);
                logIn("alice");
                assertThat(payments.pay("k")).isEqualTo(6);

                logIn(new Token("alice", "https://one.example"));
                assertThat(payments.pay("k")).isEqualTo(1);
                logIn(new Login("alice", "github"));
                assertThat(payments.pay("k")).isEqualTo(5);
            });
        }

        @Test
        void areOneCallerWhetherThePasswordWasTypedOrRemembered() {
            IdempotentApplication.with(Payments.class, payments -> {
                logIn(password("alice"));
                assertThat(payments.pay("k")).isEqualTo(1);
                logIn(new RememberMeAuthenticationToken(
                        "key", "alice", AuthorityUtils.createAuthorityList("ROLE_USER")));
                assertThat(payments.pay("k")).isEqualTo(1);
            });
        }
    }

    @Test
    void ofTwoIdentityProvidersAreSeveralCallers() {
        IdempotentApplication.with(Payments.class, payments -> {
            logIn(new Assertion("alice", "okta"));
            assertThat(payments.pay("k")).isEqualTo(1);
            logIn(new Assertion("alice", "adfs"));
            assertThat(payments.pay("k")).isEqualTo(2);
            logIn(new Assertion(new Assertion.User("alice", "okta"), null));
            assertThat(payments.pay("k")).isEqualTo(1);
            logIn(new Login("alice", "okta"));
            assertThat(payments.pay("k")).isEqualTo(3);
        });
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " "})
    void tokensWithoutAnIssuerAreOfOneServer(@Nullable String issuer) {
        IdempotentApplication.with(Payments.class, payments -> {
            logIn(new Token("alice", issuer));
            assertThat(payments.pay("k")).isEqualTo(1);
            logIn(new Token("alice", "https://one.example"));
            assertThat(payments.pay("k")).isEqualTo(2);
            logIn(password("alice"));
            assertThat(payments.pay("k")).isEqualTo(3);
            logIn(new Token("alice", issuer));
            assertThat(payments.pay("k")).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"", " "})
    void anAuthenticatedCallerWithoutANameIsRefused(@Nullable String name) {
        IdempotentApplication.with(Payments.class, payments -> {
            logIn(new Token(name, "https://one.example"));
            assertThatThrownBy(() -> payments.pay("k"))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("has no name")
                    .hasMessageContaining("CallerScope");
            logIn(new Token("alice", "https://one.example"));
            assertThat(payments.pay("k")).isEqualTo(1);
        });
    }

    private static void logIn(Authentication authentication) {
        SecurityContextHolder.getContext().setAuthentication(authentication);
    }

    private static Authentication password(String name) {
        return UsernamePasswordAuthenticationToken.authenticated(name, null, List.of());
    }

    /** As a JwtAuthenticationToken, whose module is not on the class path. */
    public static final class Token extends AbstractAuthenticationToken {

        private final @Nullable String subject;
        private final @Nullable String issuer;

        Token(@Nullable String subject, @Nullable String issuer) {
            super(List.of());
            this.subject = subject;
            this.issuer = issuer;
            setAuthenticated(true);
        }

        public Map<String, Object> getTokenAttributes() {
            return issuer == null ? Map.of("active", true) : Map.of("iss", issuer);
        }

        @Override
        public @Nullable String getName() {
            return subject;
        }

        @Override
        public Object getCredentials() {
            return "token";
        }

        @Override
        public Object getPrincipal() {
            return this;
        }
    }

    /** As a Saml2AssertionAuthentication, or as a Saml2Authentication of before, whose principal knows its registration. */
    public static final class Assertion extends AbstractAuthenticationToken {

        private final Object principal;
        private final @Nullable String registration;

        Assertion(Object principal, @Nullable String registration) {
            super(List.of());
            this.principal = principal;
            this.registration = registration;
            setAuthenticated(true);
        }

        public @Nullable String getRelyingPartyRegistrationId() {
            return registration;
        }

        @Override
        public Object getCredentials() {
            return "assertion";
        }

        @Override
        public Object getPrincipal() {
            return principal;
        }

        /** As a Saml2AuthenticatedPrincipal. */
        public static final class User implements AuthenticatedPrincipal {

            private final String name;
            private final String registration;

            User(String name, String registration) {
                this.name = name;
                this.registration = registration;
            }

            @Override
            public String getName() {
                return name;
            }

            public String getRelyingPartyRegistrationId() {
                return registration;
            }
        }
    }

    /** As an OAuth2AuthenticationToken. */
    public static final class Login extends AbstractAuthenticationToken {

        private final String name;
        private final String registration;

        Login(String name, String registration) {
            super(List.of());
            this.name = name;
            this.registration = registration;
            setAuthenticated(true);
        }

        public String getAuthorizedClientRegistrationId() {
            return registration;
        }

        @Override
        public Object getCredentials() {
            return "";
        }

        @Override
        public Object getPrincipal() {
            return name;
        }
    }

    @Test
    void byABeanOfTheApplication() {
        AtomicReference<String> tenant = new AtomicReference<>("north");
        ApplicationContextRunner runner =
                IdempotentApplication.runner().withBean("tenants", CallerScope.class, () -> tenant::get);
        IdempotentApplication.with(runner, Payments.class, payments -> {
            logIn("alice");
            assertThat(payments.pay("k")).isEqualTo(1);
            logIn("bob");
            assertThat(payments.pay("k")).isEqualTo(1);
            tenant.set("south");
            assertThat(payments.pay("k")).isEqualTo(2);
        });
    }

    @Test
    void scopeNoneKeepsNobodyApart() {
        ApplicationContextRunner runner =
                IdempotentApplication.runner().withPropertyValues("resilience.idempotency.default.scope=none");
        IdempotentApplication.with(runner, Payments.class, payments -> {
            logIn("alice");
            assertThat(payments.pay("k")).isEqualTo(1);
            logIn("bob");
            assertThat(payments.pay("k")).isEqualTo(1);
        });
    }

    static class Payments {

        private final AtomicInteger calls = new AtomicInteger();

        @Idempotent(key = "#key")
        int pay(String key) {
            return calls.incrementAndGet();
        }
    }
}
