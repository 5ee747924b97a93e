package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.retry.Jitter;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.spring.Applications;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.PolicyCustomizer;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.timelimit.TimeLimitPolicy;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.core.annotation.AliasFor;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/** Which values a policy has that annotations and properties speak of. */
class AnnotationValuesTests {

    private static final Map<String, String> NOTHING = Map.of();

    /** Kind, policy, what is written, and what is asked of the policy. */
    static Stream<Arguments> cases() {
        return Stream.of(
                retry("Shop.retried", NOTHING, RetryPolicy::maxAttempts, 5),
                retry("Shop.retried", NOTHING, policy -> policy.backoff().baseDelay(), Duration.ofMillis(200)),
                retry("Shop.retried", NOTHING, policy -> policy.backoff().multiplier(), 3.0),
                retry("Shop.retried", NOTHING, policy -> policy.backoff().maxDelay(), Duration.ofSeconds(5)),
                retry("Shop.retried", NOTHING, RetryPolicy::retryOn, List.of(IOException.class)),
                retry("Shop.retried", NOTHING, RetryPolicy::doNotRetryOn, List.of(FileNotFoundException.class)),
                kind("circuit-breaker", CircuitBreakerPolicy::failureThreshold, 0),
                kind("circuit-breaker", CircuitBreakerPolicy::failureRateThreshold, 0.0),
                kind("circuit-breaker", CircuitBreakerPolicy::openDuration, Duration.ofSeconds(10)),
                kind("bulkhead", BulkheadPolicy::maxConcurrent, 2),
                kind("bulkhead", BulkheadPolicy::maxQueue, 0),
                kind("time-limit", TimeLimitPolicy::timeout, Duration.ofSeconds(2)),
                kind("idempotency", IdempotencyPolicy::ttl, Duration.ofHours(1)),
                // library < default < preset or extends < annotation < properties of the name
                retry("Shop.retried", NOTHING, RetryPolicy::maxRetryAfter, Duration.ofSeconds(60)),
                retry("Shop.retried", NOTHING, policy -> policy.backoff().jitter(), Jitter.NONE),
                retry("Shop.retried", Map.of("default.max-attempts", "9"), RetryPolicy::maxAttempts, 5),
                retry(
                        "Shop.retried",
                        Map.of("[Shop.retried].extends", "batch"),
                        policy -> policy.backoff().jitter(),
                        Jitter.PROPORTIONAL),
                retry("Shop.retried", Map.of("[Shop.retried].extends", "batch"), RetryPolicy::maxAttempts, 5),
                retry("Shop.retried", Map.of("[Shop.retried].extends", "four"), RetryPolicy::maxAttempts, 5),
                retry("Shop.retried", Map.of("[Shop.retried].max-attempts", "7"), RetryPolicy::maxAttempts, 7),
                retry(
                        "Shop.retried",
                        Map.of("[Shop.retried].retry-on", "java.net.SocketException"),
                        RetryPolicy::doNotRetryOn,
                        List.of(FileNotFoundException.class)),
                retry("like", Map.of("like.extends", "Shop.retried"), RetryPolicy::maxAttempts, 5),
                // names
                retry("named", NOTHING, RetryPolicy::maxAttempts, 6),
                retry("named", Map.of("named.max-duration", "1m"), RetryPolicy::maxAttempts, 6),
                retry("named", Map.of("named.max-attempts", "8"), RetryPolicy::maxAttempts, 8),
                retry("by-placeholder", NOTHING, RetryPolicy::maxAttempts, 2),
                retry("Shop.placeholders", NOTHING, policy -> policy.backoff().baseDelay(), Duration.ofMillis(30)),
                retry("Shop.placeholders", NOTHING, policy -> policy.backoff().maxDelay(), Duration.ofSeconds(30)),
                retry("Shop.alias", NOTHING, RetryPolicy::maxAttempts, 3),
                retry("Shop.alias", NOTHING, policy -> policy.backoff().baseDelay(), Duration.ofMillis(70)),
                retry("Shop.anything", NOTHING, RetryPolicy::retryUnknown, true),
                retry(
                        "Shop.anything",
                        Map.of("[Shop.anything].retry-unknown", "false"),
                        RetryPolicy::retryUnknown,
                        false),
                retry("Shop.retried", Map.of("default.retry-unknown", "true"), RetryPolicy::retryUnknown, true),
                retry("Shop.noName", NOTHING, RetryPolicy::maxAttempts, 8),
                retry("Shop.defaultAsName", NOTHING, RetryPolicy::maxAttempts, 9),
                retry("default", NOTHING, RetryPolicy::maxAttempts, 3),
                retry("WholeShop", NOTHING, RetryPolicy::maxAttempts, 4),
                retry("WholeShop", Map.of("WholeShop.max-attempts", "8"), RetryPolicy::maxAttempts, 8),
                retry("WholeShop", Map.of("[WholeShop].max-attempts", "8"), RetryPolicy::maxAttempts, 8),
                retry("WholeShop.own", NOTHING, RetryPolicy::maxAttempts, 5),
                retry("PortShop.byPort", NOTHING, RetryPolicy::maxAttempts, 6),
                retry("Client.get", NOTHING, RetryPolicy::maxAttempts, 7),
                retry("Client.get", Map.of("[Client.get].max-attempts", "8"), RetryPolicy::maxAttempts, 8));
    }

    private static Arguments retry(
            String name, Map<String, String> written, Function<RetryPolicy, Object> asked, Object expected) {
        return arguments("retry", name, written, asked, expected);
    }

    private static <P extends Record> Arguments kind(String kind, Function<P, Object> asked, Object expected) {
        return arguments(kind, "Shop.all", NOTHING, asked, expected);
    }

    @ParameterizedTest(name = "{0} {1} with {2}: {4}")
    @MethodSource("cases")
    <P extends Record> void aPolicyHasTheValuesOf(
            String kind, String name, Map<String, String> written, Function<P, Object> asked, Object expected) {
        String[] properties = written.entrySet().stream()
                .map(one -> "resilience." + kind + "." + one.getKey() + "=" + one.getValue())
                .toArray(String[]::new);
        application().withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            Map<String, LiveObject<P>> live =
                    context.getBean(LiveRegistry.class).ofKind(kind);
            assertThat(live).containsKey(name);
            assertThat(asked.apply(live.get(name).policy())).isEqualTo(expected);
        });
    }

    @Test
    void nothingIsMadeThatNoMethodHas() {
        application().run(context -> {
            LiveRegistry registry = context.getBean(LiveRegistry.class);

            assertThat(registry.<Retry>ofKind("retry"))
                    .containsOnlyKeys(
                            "default",
                            "two",
                            "three",
                            "four",
                            "five",
                            "at-once",
                            "named",
                            "by-placeholder",
                            "Shop.retried",
                            "Shop.placeholders",
                            "Shop.alias",
                            "Shop.anything",
                            "Shop.noName",
                            "Shop.defaultAsName",
                            "WholeShop",
                            "WholeShop.own",
                            "PortShop.byPort",
                            "Client.get");
            assertThat(registry.usedBy("retry", "named")).containsExactly("Shop.nameAlone()", "Shop.named()");
            assertThat(registry.usedBy("retry", "default")).containsExactly("Shop.nothing()");
            assertThat(registry.usedBy("retry", "WholeShop")).containsExactly("WholeShop.sell()", "WholeShop.show()");
            assertThat(registry.usedBy("retry", "Shop.retried"))
                    .containsExactly("Shop.retried()", "Shop.retried(String)");
        });
    }

    @Test
    void anEnvironmentVariableOverridesAnAnnotation() {
        String environment = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;
        Map<String, Object> variables = Map.of(
                "RESILIENCE_RETRY_SHOP_RETRIED_MAXATTEMPTS", "8",
                "RESILIENCE_RETRY_WHOLESHOP_MAXATTEMPTS", "9",
                "RESILIENCE_RETRY_BYPLACEHOLDER_MAXATTEMPTS", "10");
        application()
                .withInitializer(context -> context.getEnvironment()
                        .getPropertySources()
                        .replace(environment, new SystemEnvironmentPropertySource(environment, variables)))
                .run(context -> {
                    LiveRegistry registry = context.getBean(LiveRegistry.class);

                    assertThat(registry.<Retry>ofKind("retry")).doesNotContainKeys("byplaceholder", "wholeshop");
                    assertThat(registry.<Retry>ofKind("retry")
                                    .get("Shop.retried")
                                    .policy()
                                    .maxAttempts())
                            .isEqualTo(8);
                    assertThat(registry.<Retry>ofKind("retry")
                                    .get("WholeShop")
                                    .policy()
                                    .maxAttempts())
                            .isEqualTo(9);
                    assertThat(registry.<Retry>ofKind("retry")
                                    .get("by-placeholder")
                                    .policy()
                                    .maxAttempts())
                            .isEqualTo(10);
                });
    }

    @Test
    void twoClassesOfOneSimpleNameBothGetTheirFullOne() {
        Applications.plain(First.Twin.class, Second.Twin.class)
                .run(context -> assertThat(context.getBean(LiveRegistry.class).<Retry>ofKind("retry"))
                        .containsKeys(First.Twin.class.getName() + ".sell", Second.Twin.class.getName() + ".sell")
                        .doesNotContainKey("Twin.sell"));
    }

    @Test
    void aBeanThatIsMadeLateBringsItsPolicies() {
        Applications.plain(LateShops.class).run(context -> {
            LiveRegistry registry = context.getBean(LiveRegistry.class);
            assertThat(registry.<Retry>ofKind("retry")).doesNotContainKey("LateShop.sell");

            context.getBean(Counter.class).sell();

            assertThat(registry.<Retry>ofKind("retry")
                            .get("LateShop.sell")
                            .policy()
                            .maxAttempts())
                    .isEqualTo(6);
        });
    }

    @Test
    void twoFirstCallsAtOnceMakeALatePolicyOnce() {
        Applications.plain(LateShops.class, SecondCaller.class).run(context -> {
            Counter counter = context.getBean(Counter.class);
            SecondCaller second = context.getBean(SecondCaller.class);
            second.call = new FutureTask<>(counter::sell, null);

            counter.sell();
            second.call.get();

            assertThat(second.made).hasValue(1);
        });
    }

    @Test
    void valuesOfAClassThatTurnsUpWhenItsPolicyIsMadeAreAProblem() {
        Applications.plain(LateShops.class)
                .withPropertyValues("resilience.retry.[LateShop.sell].max-attempts=2")
                .run(context -> assertThatThrownBy(
                                () -> context.getBean(Counter.class).sell())
                        .isInstanceOf(ResilienceConfigurationException.class)
                        .hasMessageContaining("@Retryable of " + LateShop.class.getName() + ".sell()")
                        .hasMessageContaining("the retry policy 'LateShop.sell', which was made without them"));
    }

    @Test
    void theMetersOfALatePolicyAreThere() {
        Applications.plain(LateShops.class)
                .withConfiguration(SortedOnce.of(ResilienceMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .run(context -> {
                    context.getBean(Counter.class).sell();
                    assertThat(context.getBean(SimpleMeterRegistry.class)
                                    .get("resilience.retry.calls")
                                    .tag("name", "LateShop.sell")
                                    .tag("outcome", "success")
                                    .functionCounter()
                                    .count())
                            .isEqualTo(1);
                });
    }

    @Test
    void aBeanWhoseMethodReturnsAnInterfaceHasItsPoliciesAtStartup() {
        Applications.plain(EarlyShops.class)
                .run(context -> assertThat(context.getBean(LiveRegistry.class)
                                .<Retry>ofKind("retry")
                                .get("LateShop.sell")
                                .policy()
                                .maxAttempts())
                        .isEqualTo(6));
    }

    @Test
    void anAnnotationThatIsNotEnabledSwitchesThatOfTheTypeOff() {
        Applications.plain(SwitchedOff.class).run(context -> {
            LiveRegistry registry = context.getBean(LiveRegistry.class);

            assertThat(registry.usedBy("retry", "two")).containsExactly("SwitchedOff.tried()");
            assertThat(registry.usedBy("bulkhead", "default"))
                    .containsExactly("SwitchedOff.notTried()", "SwitchedOff.tried()");
            assertThat(registry.usedBy("time-limit", "default")).isEmpty();
        });
    }

    @Test
    void aMethodWhoseOnlyAnnotationIsNotEnabledMayBePrivate() {
        Applications.plain(NotProtected.class)
                .run(context -> assertThat(context).hasNotFailed());
    }

    private static ApplicationContextRunner application() {
        return Applications.plain(Shop.class, WholeShop.class, PortShop.class, Clients.class)
                .withPropertyValues("shop.delay=30ms", "shop.empty=", "shop.policy=by-placeholder");
    }

    static class Shop {

        @Retryable(
                maxAttempts = 5,
                delay = "200ms",
                multiplier = 3,
                maxDelay = "5s",
                retryOn = IOException.class,
                doNotRetryOn = FileNotFoundException.class)
        public void retried() {}

        @Retryable(
                maxAttempts = 5,
                delay = "200ms",
                multiplier = 3,
                maxDelay = "5s",
                retryOn = IOException.class,
                doNotRetryOn = FileNotFoundException.class)
        public void retried(String overload) {}

        @CircuitBreaker(failureThreshold = 0, failureRateThreshold = 0, openDuration = "10s")
        @Bulkhead(maxConcurrent = 2, maxQueue = 0)
        @TimeLimit(timeout = "2s")
        @Idempotent(key = "#id", ttl = "1h")
        public String all(String id) {
            return id;
        }

        @Retryable(value = "named", maxAttempts = 6)
        public void named() {}

        @Retryable("named")
        public void nameAlone() {}

        @Retryable
        public void nothing() {}

        @Retryable(value = "${shop.policy}", maxAttempts = 2)
        public void placeholderForTheName() {}

        @Retryable(delay = "${shop.delay}", maxDelay = "${shop.empty}")
        public void placeholders() {}

        @Twice(pause = "70ms")
        public void alias() {}

        @Retryable(retryUnknown = true)
        public void anything() {}

        @Retryable(value = "${shop.empty}", maxAttempts = 8)
        public void noName() {}

        @Retryable(value = "${shop.none:default}", maxAttempts = 9)
        public void defaultAsName() {}
    }

    @Retention(RetentionPolicy.RUNTIME)
    @Target(ElementType.METHOD)
    @Retryable(maxAttempts = 3)
    @interface Twice {

        @AliasFor(annotation = Retryable.class, attribute = "delay")
        String pause();
    }

    @Retryable(maxAttempts = 4)
    static class WholeShop {

        public void sell() {}

        public void show() {}

        @Retryable(maxAttempts = 5)
        public void own() {}
    }

    interface Port {

        @Retryable(maxAttempts = 6)
        void byPort();
    }

    static class PortShop implements Port {

        @Override
        public void byPort() {}
    }

    interface Client {

        @Retryable(maxAttempts = 7)
        String get();
    }

    @Configuration(proxyBeanMethods = false)
    static class Clients {

        @Bean
        Client client() {
            return ProxyFactory.getProxy(Client.class, (org.aopalliance.intercept.MethodInterceptor) call -> "got");
        }
    }

    static final class First {

        static class Twin {

            @Retryable(maxAttempts = 4)
            public void sell() {}
        }
    }

    static final class Second {

        static class Twin {

            @Retryable(maxAttempts = 5)
            public void sell() {}
        }
    }

    interface Counter {

        void sell();
    }

    static class LateShop implements Counter {

        @Override
        @Retryable(maxAttempts = 6)
        public void sell() {}
    }

    /** Makes a second call while the policy of the first one is made, and waits until it can go no further. */
    static class SecondCaller implements PolicyCustomizer<RetryPolicy> {

        private final AtomicInteger made = new AtomicInteger();
        private FutureTask<Void> call = new FutureTask<>(() -> null);

        @Override
        public RetryPolicy customize(String name, RetryPolicy policy) {
            if (name.equals("LateShop.sell") && made.incrementAndGet() == 1) {
                Thread thread = new Thread(call);
                thread.start();
                while (thread.isAlive() && thread.getState() != Thread.State.BLOCKED) {
                    Thread.onSpinWait();
                }
            }
            return policy;
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class LateShops {

        @Bean
        @Lazy
        Counter counter() {
            return new LateShop();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class EarlyShops {

        @Bean
        Counter counter() {
            return new LateShop();
        }
    }

    @Retryable("two")
    @Bulkhead("default")
    static class SwitchedOff {

        public void tried() {}

        @Retryable(enabled = false)
        @TimeLimit(enabled = false, timeout = "1s")
        public void notTried() {}
    }

    static class NotProtected {

        @Retryable(enabled = false)
        @SuppressWarnings("unused")
        private void sell() {}
    }
}
