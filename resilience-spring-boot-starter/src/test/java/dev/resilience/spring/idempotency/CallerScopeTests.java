package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.idempotency.CallerScope;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.security.authentication.AnonymousAuthenticationToken;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.Authentication;
import org.springframework.security.core.authority.AuthorityUtils;
import org.springframework.security.core.context.SecurityContextHolder;

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
