package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.ResilienceConfigurationException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.security.access.prepost.PostAuthorize;
import org.springframework.security.access.prepost.PreAuthorize;
import org.springframework.security.config.annotation.method.configuration.EnableMethodSecurity;

/** An order of advice in which a stored result would be given to whoever asks is refused at startup. */
class AuthorizationOrderTests {

    private static final String FURTHER_OUT = "resilience.advice-order=0";

    private static void assertRefused(ApplicationContextRunner runner, Class<?> type) {
        runner.withBean(type)
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOfSatisfying(ResilienceConfigurationException.class, failure -> {
                            assertThat(failure).hasMessageContaining(type.getSimpleName() + ".pay(java.lang.String)");
                            assertThat(failure.action()).contains("resilience.advice-order", "@EnableMethodSecurity");
                        }));
    }

    private static ApplicationContextRunner runner(Class<?> security) {
        return IdempotentApplication.runner().withUserConfiguration(security);
    }

    @ParameterizedTest
    @ValueSource(classes = {Guarded.class, JudgedLater.class, GuardedByType.class})
    void adviceOfOursThatStandsFurtherOut(Class<?> type) {
        assertRefused(runner(Usual.class).withPropertyValues(FURTHER_OUT), type);
    }

    @Test
    void securityThatStandsFurtherIn() {
        assertRefused(runner(FarIn.class), Guarded.class);
    }

    @Test
    void oneOrderForBoth() {
        assertRefused(runner(AsFarIn.class), Guarded.class);
    }

    @Test
    void theUsualOrdersAreFine() {
        runner(Usual.class)
                .withBean(Guarded.class)
                .run(context -> assertThat(context).hasNotFailed());
        runner(NearlyTooFarIn.class)
                .withBean(Guarded.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void methodsThatAreNotIdempotentMayHaveAnyOrder() {
        runner(Usual.class)
                .withPropertyValues(FURTHER_OUT)
                .withBean(OnlyRetried.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Guarded {

        @PreAuthorize("hasRole('ADMIN')")
        @Idempotent(key = "#key")
        String pay(String key) {
            return key;
        }
    }

    static class JudgedLater {

        @PostAuthorize("returnObject == authentication.name")
        @Idempotent(key = "#key")
        String pay(String key) {
            return key;
        }
    }

    @PreAuthorize("hasRole('ADMIN')")
    static class GuardedByType {

        @Idempotent(key = "#key")
        String pay(String key) {
            return key;
        }
    }

    static class OnlyRetried {

        @PreAuthorize("hasRole('ADMIN')")
        @Retryable("default")
        String look(String key) {
            return key;
        }

        @Idempotent(key = "#key")
        String pay(String key) {
            return key;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity
    static class Usual {}

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(offset = Ordered.LOWEST_PRECEDENCE - 250)
    static class FarIn {}

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(offset = Ordered.LOWEST_PRECEDENCE - 300)
    static class AsFarIn {}

    @Configuration(proxyBeanMethods = false)
    @EnableMethodSecurity(offset = Ordered.LOWEST_PRECEDENCE - 701)
    static class NearlyTooFarIn {}
}
