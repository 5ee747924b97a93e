package dev.resilience.spring.retry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.annotation.Retryable;
import dev.resilience.exception.RetryExhaustedException;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.BackoffFunction;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Retry policies that name beans, or have an expression. */
class ConfiguredFunctionsTests {

    private static final String PREFIX = "resilience.retry.payments.";

    static class Payments {

        private final List<Integer> results = new ArrayList<>();
        private int calls;

        public void returns(Integer... numbers) {
            results.addAll(List.of(numbers));
        }

        public int calls() {
            return calls;
        }

        @Retryable("payments")
        public int pay() {
            calls++;
            return results.remove(0);
        }

        @Retryable("payments")
        public int fail() {
            calls++;
            throw new IllegalArgumentException("no money");
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Rules {

        @Bean
        Predicate<Throwable> paymentFailures() {
            return IllegalArgumentException.class::isInstance;
        }

        @Bean
        Predicate<Object> anything() {
            return failure -> true;
        }

        @Bean
        Predicate<String> texts() {
            return String::isEmpty;
        }

        @Bean
        BackoffFunction slowly() {
            return (attempt, failure, result) -> Duration.ofSeconds(10L * attempt);
        }
    }

    private final ApplicationContextRunner runner = Applications.plain(Payments.class, Rules.class);

    @Test
    void aPredicateDecidesWhatIsRetriedAndAFunctionWhen() {
        runner.withPropertyValues(PREFIX + "retry-if=paymentFailures", PREFIX + "backoff.function=slowly")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    Payments payments = context.getBean(Payments.class);

                    assertThat(catchThrowable(payments::fail)).hasMessage("no money");

                    assertThat(payments.calls()).isEqualTo(3);
                    assertThat(context.getBean(ManualTimeSource.class).elapsed())
                            .isEqualTo(Duration.ofSeconds(30));
                });
    }

    @Test
    void aMoreGeneralPredicateIsOneToo() {
        runner.withPropertyValues(PREFIX + "retry-if=anything")
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void beansAreInheritedAndSwitchedOffByABlank() {
        runner.withPropertyValues(
                        "resilience.retry.default.retry-if=paymentFailures",
                        "resilience.retry.careful.extends=payments",
                        "resilience.retry.careful.retry-if= ",
                        "resilience.retry.eager.extends=payments",
                        PREFIX + "max-attempts=2")
                .run(context -> {
                    Map<String, Retry> retries =
                            context.getBean(LiveRegistry.class).ofKind("retry");

                    assertThat(retries.get("eager").policy().retryIf()).hasToString("paymentFailures");
                    assertThat(retries.get("careful").policy().retryIf()).isNull();
                });
    }

    @Test
    void policiesWithTheSameBeanAndOtherwiseTheSameValuesAreEqual() {
        runner.withPropertyValues(
                        PREFIX + "retry-if=paymentFailures",
                        PREFIX + "backoff.function=slowly",
                        "resilience.retry.heir.extends=payments",
                        "resilience.retry.other.extends=payments",
                        "resilience.retry.other.retry-if=anything")
                .run(context -> {
                    Map<String, Retry> retries =
                            context.getBean(LiveRegistry.class).ofKind("retry");
                    RetryPolicy policy = retries.get("payments").policy();

                    assertThat(policy.retryIf().equals(policy.retryIf())).isTrue();
                    assertThat(retries.get("heir").policy()).isEqualTo(policy).hasSameHashCodeAs(policy);
                    assertThat(retries.get("other").policy()).isNotEqualTo(policy);
                });
    }

    @Test
    void theLastResultIsAFailureWhereThePolicySaysSo() {
        runner.withPropertyValues(PREFIX + "retry-on-result=#result < 0", PREFIX + "fail-when-exhausted=true")
                .run(context -> {
                    Payments payments = context.getBean(Payments.class);
                    payments.returns(-1, 7, -1, -2, -3);

                    assertThat(payments.pay()).isEqualTo(7);
                    assertThat(catchThrowable(payments::pay)).isInstanceOf(RetryExhaustedException.class);
                    assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
                });
    }

    @Test
    void whatHasNoEffectIsAWarningWhereItIsWritten() {
        runner.withPropertyValues(
                        PREFIX + "fail-when-exhausted=true",
                        PREFIX + "retry-if=anything",
                        PREFIX + "retry-unknown=true",
                        PREFIX + "backoff.strategy=linear",
                        PREFIX + "backoff.multiplier=3",
                        "resilience.retry.heir.extends=payments")
                .run(context -> assertThat(
                                context.getBean(StartupWarnings.class).all())
                        .filteredOn(warning -> warning.startsWith("resilience.retry."))
                        .satisfiesExactlyInAnyOrder(
                                warning -> assertThat(warning).startsWith(PREFIX + "fail-when-exhausted"),
                                warning -> assertThat(warning).startsWith(PREFIX + "retry-unknown"),
                                warning -> assertThat(warning).startsWith(PREFIX + "backoff.multiplier")));
    }

    @Test
    void aBeanThatDoesNotExistFailsTheStartupWithTheNearestNames() {
        runner.withPropertyValues(PREFIX + "retry-if=paymentFailure")
                .run(context -> assertThat(problem(context))
                        .contains("names the bean 'paymentFailure', which does not exist")
                        .contains("resilience.retry.payments.retry-if")
                        .contains("Did you mean 'paymentFailures'?"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"texts", "slowly", "callee"})
    void aBeanOfAnotherTypeFailsTheStartup(String bean) {
        runner.withPropertyValues(PREFIX + "retry-if=" + bean)
                .run(context -> assertThat(problem(context))
                        .contains("names the bean '" + bean + "', which is a ")
                        .contains("a bean of type java.util.function.Predicate<java.lang.Throwable>.")
                        .contains("'anything', 'paymentFailures'"));
    }

    @Test
    void aPredicateIsNoBackoffFunction() {
        runner.withPropertyValues(PREFIX + "backoff.function=anything")
                .run(context -> assertThat(problem(context))
                        .contains("resilience.retry.payments.backoff.function")
                        .contains("a bean of type dev.resilience.retry.BackoffFunction. Known are: 'slowly'."));
    }

    private static String problem(AssertableApplicationContext context) {
        Throwable failure = context.getStartupFailure();
        assertThat(failure).isNotNull();
        while (!(failure instanceof ResilienceConfigurationException problem)) {
            failure = failure.getCause();
        }
        return problem.getMessage() + problem.action();
    }

    @Test
    void aPolicyThatIsABeanHasRulesOfItsOwn() {
        RetryPolicy policy = RetryPolicy.builder()
                .retryIf(IllegalArgumentException.class::isInstance)
                .backoff(Backoff.fixed(Duration.ZERO))
                .build();
        runner.withBean("payments", RetryPolicy.class, () -> policy)
                .withPropertyValues(PREFIX + "retry-on-result=#result < 0")
                .run(context -> {
                    Payments payments = context.getBean(Payments.class);
                    payments.returns(-1, 7);

                    assertThat(payments.pay()).isEqualTo(7);
                    assertThat(catchThrowable(payments::fail)).hasMessage("no money");
                    assertThat(payments.calls()).isEqualTo(5);
                });
    }

    @Test
    void theRulesOfTheDefaultHoldForEveryMethod() {
        runner.withPropertyValues("resilience.retry.default.retry-unknown=true", PREFIX + "max-attempts=2")
                .run(context -> assertThat(context.getBean(LiveRegistry.class)
                                .<Retry>ofKind("retry")
                                .get("payments")
                                .policy()
                                .retryUnknown())
                        .isTrue());
    }
}
