package com.example.throttle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.example.throttle.Throttle.ThrottledException;
import dev.resilience.annotation.Bulkhead;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.PolicyCustomizer;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.actuate.ResilienceEndpoint;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceUnusedPoliciesAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** A kind that the library does not know gets from it what its own kinds get. */
class ThrottleKindTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceActuatorAutoConfiguration.class,
                    ResilienceMetricsAutoConfiguration.class,
                    ResilienceUnusedPoliciesAutoConfiguration.class))
            .withUserConfiguration(Throttling.class)
            .withBean(ManualTimeSource.class)
            .withBean(SimpleMeterRegistry.class)
            .withBean(Shop.class)
            .withPropertyValues(
                    "management.endpoints.web.exposure.include=*",
                    "resilience.idempotency-store.type=memory",
                    "resilience.throttle.default.period=1m",
                    "resilience.throttle.partners.max-calls=2",
                    "resilience.throttle.gold.extends=partners",
                    "resilience.throttle.gold.period=1h");

    @Test
    void itsAnnotationProtectsAMethod() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.order();
            shop.order();
            assertThatThrownBy(shop::order).isInstanceOf(ThrottledException.class);

            context.getBean(ManualTimeSource.class).advance(Duration.ofMinutes(1));
            assertThat(shop.order()).isEqualTo("ordered");
        });
    }

    @Test
    void itsAnnotationProtectsAnAsynchronousMethod() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.orderLater();
            shop.orderLater();
            assertThat(shop.orderLater())
                    .failsWithin(Duration.ZERO)
                    .withThrowableThat()
                    .withCauseInstanceOf(ThrottledException.class);
        });
    }

    @Test
    void itsPoliciesInheritFromDefaultAndByExtends() {
        application.run(context -> {
            Map<String, Throttle> throttles =
                    context.getBean(ResilienceRegistry.class).all(Throttle.class);
            assertThat(throttles.get("default").policy()).isEqualTo(new ThrottlePolicy(10, Duration.ofMinutes(1)));
            assertThat(throttles.get("partners").policy()).isEqualTo(new ThrottlePolicy(2, Duration.ofMinutes(1)));
            assertThat(throttles.get("gold").policy()).isEqualTo(new ThrottlePolicy(2, Duration.ofHours(1)));
        });
    }

    @Test
    void itsAnnotationGivesPoliciesValues() {
        application
                .withBean(Counter.class)
                .withPropertyValues("resilience.throttle.[Counter.show].max-calls=4")
                .run(context -> {
                    Map<String, Throttle> throttles =
                            context.getBean(LiveRegistry.class).ofKind("throttle");
                    assertThat(throttles.get("Counter").policy())
                            .isEqualTo(new ThrottlePolicy(3, Duration.ofMinutes(1)));
                    assertThat(throttles.get("Counter.show").policy())
                            .isEqualTo(new ThrottlePolicy(4, Duration.ofSeconds(9)));
                    assertThat(context.getBean(LiveRegistry.class).usedBy("throttle", "Counter"))
                            .containsExactly("Counter.sell()");
                });
    }

    @Test
    void itsAnnotationCannotHaveWhatThePolicyRefuses() {
        application
                .withBean(Closed.class)
                .run(context -> assertThat(failure(context))
                        .hasMessageContaining("@Throttled(maxCalls = -1)")
                        .hasMessageContaining(Closed.class.getName() + ".sell()")
                        .hasMessageContaining("must be at least 1"));
    }

    @Test
    void itsPoliciesAreBeansAndCanBeCustomized() {
        application
                .withUserConfiguration(Beans.class)
                .withPropertyValues("resilience.throttle.silver.period=2h")
                .run(context -> {
                    Map<String, Throttle> throttles =
                            context.getBean(LiveRegistry.class).ofKind("throttle");
                    assertThat(throttles.get("silver").policy()).isEqualTo(new ThrottlePolicy(6, Duration.ofHours(2)));
                });
    }

    @Test
    void itsPoliciesCanBeSwitchedOff() {
        application
                .withPropertyValues("resilience.throttle.partners.enabled=false")
                .run(context -> {
                    Shop shop = context.getBean(Shop.class);
                    for (int i = 0; i < 5; i++) {
                        assertThat(shop.order()).isEqualTo("ordered");
                    }
                });
    }

    @Test
    void aMisspeltKeyIsRefused() {
        application
                .withPropertyValues("resilience.throttle.partners.max-cals=3")
                .run(context -> assertThat(failure(context))
                        .hasMessageContaining("A key under 'resilience' is not known")
                        .hasMessageContaining("resilience.throttle.partners.max-cals")
                        .extracting(ResilienceConfigurationException::action)
                        .asString()
                        .contains("Did you mean 'max-calls'?"));
    }

    @Test
    void aMisspeltNameOfTheKindIsRefused() {
        application
                .withPropertyValues("resilience.throtle.partners.max-calls=3")
                .run(context -> assertThat(failure(context).action()).contains("throttle.partners.max-calls"));
    }

    @Test
    void aMisspeltNameInAnAnnotationIsRefused() {
        application
                .withBean(Misspelt.class)
                .run(context -> assertThat(failure(context))
                        .hasMessageContaining("names the throttle policy 'partner', but there is no "
                                + "'resilience.throttle.partner'")
                        .extracting(ResilienceConfigurationException::action)
                        .asString()
                        .contains("Did you mean 'partners'?"));
    }

    @Test
    void aValueThatThePolicyRefusesIsNamedWithItsPlace() {
        application
                .withPropertyValues("resilience.throttle.partners.max-calls=0")
                .run(context -> assertThat(failure(context))
                        .hasMessageContaining("' has a value that it cannot have")
                        .hasMessageContaining("Property: resilience.throttle.partners.max-calls")
                        .hasMessageContaining("must be at least 1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"many", "1.5"})
    void aValueThatCannotBeReadIsNamedWithItsPlace(String value) {
        application
                .withPropertyValues("resilience.throttle.partners.max-calls=" + value)
                .run(context -> assertThat(failure(context))
                        .hasMessageContaining("Property: resilience.throttle.partners.max-calls")
                        .hasMessageContaining("Value: " + value));
    }

    @Test
    void aPolicyThatNoMethodUsesIsAWarning() {
        application.run(context -> assertThat(
                        context.getBean(ResilienceEndpoint.class).resilience().get("warnings"))
                .asString()
                .contains("The throttle policy 'gold' is used by no method"));
    }

    @Test
    @SuppressWarnings("unchecked")
    void theEndpointShowsIt() {
        application.run(context -> {
            context.getBean(Shop.class).order();
            Map<String, Object> entry =
                    context.getBean(ResilienceEndpoint.class).policy("throttle", "partners", null);

            assertThat((Map<String, Object>) entry.get("policy"))
                    .containsEntry("max-calls", 2)
                    .containsEntry("period", "PT1M");
            assertThat((Map<String, Object>) entry.get("state")).containsEntry("refused", 0L);
            assertThat(entry.get("usedBy")).asString().contains("Shop.order()", "Shop.orderLater()");
            assertThat(context.getBean(ResilienceEndpoint.class).resilience()).containsKey("throttle");
        });
    }

    @Test
    void itsPoliciesChangeWhileTheApplicationRuns() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.order();
            shop.order();
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            registry.reconfigure(Throttle.class, "partners", Map.of("max-calls", 4));

            assertThat(registry.get(Throttle.class, "partners").policy().maxCalls())
                    .isEqualTo(4);
            shop.order();
        });
    }

    @Test
    void operatorsCanDoWhatItOffers() {
        application.run(context -> {
            Shop shop = context.getBean(Shop.class);
            shop.order();
            shop.order();
            context.getBean(ResilienceEndpoint.class)
                    .act("throttle", "partners", "restart", null, null, null, null, null, null, null, null);

            assertThat(shop.order()).isEqualTo("ordered");
        });
    }

    @Test
    void itsMetersAreThereFromTheStart() {
        application.run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("throttle.refused")
                            .tag("name", "partners")
                            .functionCounter()
                            .count())
                    .isZero();
            assertThat(meters.get("throttle.limit").tag("name", "gold").gauge().value())
                    .isEqualTo(2);
        });
    }

    @Test
    void itStandsDirectlyInsideOfTheLayerThatItNames() {
        application.run(context -> assertThat(acceptedByTheBulkhead(context)).isEqualTo(3));
    }

    @Test
    void theOrderMayNameIt() {
        application
                .withPropertyValues("resilience.order=idempotent,throttle,bulkhead,circuit-breaker,retry,time-limit")
                .run(context -> assertThat(acceptedByTheBulkhead(context)).isEqualTo(2));
    }

    @Test
    void theOrderMayLeaveItOut() {
        application
                .withPropertyValues("resilience.order=idempotent,circuit-breaker,retry,time-limit,bulkhead")
                .run(context -> assertThat(acceptedByTheBulkhead(context)).isEqualTo(3));
    }

    @Test
    void aWrongOrderIsAnsweredWithIt() {
        application
                .withPropertyValues("resilience.order=throtle,idempotent,bulkhead,circuit-breaker,retry,time-limit")
                .run(context -> assertThat(failure(context).action())
                        .contains("Did you mean 'throttle'?", "bulkhead, throttle, circuit-breaker"));
    }

    @Test
    void aSecondKindOfTheNameIsRefused() {
        application
                .withBean("second", ThrottleKind.class)
                .run(context -> assertThat(context.getStartupFailure())
                        .rootCause()
                        .hasMessageContaining("There are 2 kinds of the name 'throttle'"));
    }

    @Test
    void thePageShowsThisCode() throws IOException {
        String page = Files.readString(Path.of("../docs/kinds.md"));
        for (String type : new String[] {"Throttled", "ThrottlePolicy", "Throttle", "ThrottleKind"}) {
            String source = Files.readString(Path.of("src/test/java/com/example/throttle/" + type + ".java"));
            assertThat(page).contains("```java title=\"" + type + ".java\"\n" + source + "```");
        }
    }

    /** Two calls are let through and the third is refused: by the throttle, inside the bulkhead or outside. */
    private static long acceptedByTheBulkhead(AssertableApplicationContext context) {
        Shop shop = context.getBean(Shop.class);
        shop.order();
        shop.order();
        assertThatThrownBy(shop::order).isInstanceOf(ThrottledException.class);
        return context.getBean(ResilienceRegistry.class)
                .bulkheads()
                .get("default")
                .calls()
                .get(BulkheadOutcome.ACCEPTED);
    }

    private static ResilienceConfigurationException failure(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return (ResilienceConfigurationException) context.getStartupFailure();
    }

    @Configuration(proxyBeanMethods = false)
    static class Throttling {

        @Bean
        static ThrottleKind throttleKind() {
            return new ThrottleKind();
        }
    }

    static class Shop {

        @Throttled("partners")
        @Bulkhead("default")
        public String order() {
            return "ordered";
        }

        @Throttled("partners")
        public CompletableFuture<String> orderLater() {
            return CompletableFuture.completedFuture("ordered");
        }
    }

    @Throttled(maxCalls = 3)
    static class Counter {

        public void sell() {}

        @Throttled(maxCalls = 2, period = "9s")
        public void show() {}

        @Throttled(enabled = false)
        public void close() {}
    }

    static class Closed {

        @Throttled(maxCalls = -1)
        public void sell() {}
    }

    @Configuration(proxyBeanMethods = false)
    static class Beans {

        @Bean
        ThrottlePolicy silver() {
            return new ThrottlePolicy(5, Duration.ofHours(1));
        }

        @Bean
        PolicyCustomizer<ThrottlePolicy> oneMore() {
            return (name, policy) -> new ThrottlePolicy(policy.maxCalls() + 1, policy.period());
        }
    }

    static class Misspelt {

        @Throttled("partner")
        public void order() {}
    }
}
