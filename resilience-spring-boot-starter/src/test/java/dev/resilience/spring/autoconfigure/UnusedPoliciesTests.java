package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Lazy;
import org.springframework.context.annotation.Scope;

/** Policies that are written and never used are told at startup. */
class UnusedPoliciesTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceUnusedPoliciesAutoConfiguration.class))
            .withPropertyValues("resilience.retry.gateway.max-attempts=2", "resilience.bulkhead.gateway.max-queue=0");

    @Test
    void aPolicyThatNoMethodUsesIsWarnedOf() {
        assertThat(warnings(application.withPropertyValues("resilience.bulkhead.zzz.max-concurrent=3"), Shop.class))
                .containsExactly(
                        "The bulkhead policy 'zzz' is used by no method: 'resilience.bulkhead.zzz' has no effect, unless code takes it from the ResilienceRegistry. "
                                + "Remove it, or name it in an annotation [policy-without-use] (docs/warnings.md#policy-without-use)");
    }

    @Test
    void aMisspeltOneIsWarnedOfWithTheNameThatWasMeant() {
        assertThat(warnings(application.withPropertyValues("resilience.retry.gatway.max-attempts=5"), Shop.class))
                .containsExactly(
                        "The retry policy 'gatway' is used by no method: 'resilience.retry.gatway' has no effect, unless code takes it from the ResilienceRegistry. "
                                + "Did you mean 'gateway'? Remove it, or name it in an annotation [policy-without-use] (docs/warnings.md#policy-without-use)");
    }

    @Test
    void oneThatIsNamedAfterAMethodThatIsNotThereIsWarnedOf() {
        assertThat(warnings(
                        application.withPropertyValues(
                                "resilience.retry.[ValuedShop.sel].max-attempts=5",
                                "resilience.retry.[ValuedShop.show].extends=base",
                                "resilience.retry.base.max-attempts=4"),
                        Shop.class,
                        ValuedShop.class))
                .singleElement()
                .asString()
                .contains("The retry policy 'ValuedShop.sel' is used by no method", "Did you mean 'ValuedShop.sell'");
    }

    @Test
    void aPolicyOfTheEnvironmentAloneIsWarnedOf() {
        assertThat(warnings(application.withSystemProperties("resilience.time-limit.quick.timeout=1s"), Shop.class))
                .singleElement()
                .asString()
                .contains("The time-limit policy 'quick' is used by no method");
    }

    @Test
    void whatAUsedPolicyStartsFromIsNot() {
        assertThat(warnings(
                        application.withPropertyValues(
                                "resilience.retry.gateway.extends=base",
                                "resilience.retry.base.extends=ground",
                                "resilience.retry.ground.max-duration=1m",
                                "resilience.retry.default.max-attempts=4"),
                        Shop.class))
                .isEmpty();
    }

    @Test
    void whatAnUnusedPolicyStartsFromIs() {
        assertThat(warnings(
                        application.withPropertyValues(
                                "resilience.retry.unused.extends=base", "resilience.retry.base.max-duration=1m"),
                        Shop.class))
                .hasSize(2);
    }

    @Test
    void aBudgetThatAUsedPolicyNamesIsNot() {
        ApplicationContextRunner withBudgets = application.withPropertyValues(
                "resilience.retry-budget.shared.window=5s", "resilience.retry-budget.other.window=5s");

        assertThat(warnings(withBudgets.withPropertyValues("resilience.retry.gateway.budget=shared"), Shop.class))
                .singleElement()
                .asString()
                .contains("The retry-budget policy 'other' is used by no method")
                .contains("Remove it, or name it as a policy's budget [policy-without-use] (docs/");
    }

    @Test
    void aPolicyOfABeanThatIsMadeLaterIsNot() {
        assertThat(warnings(application, LazyShop.class)).isEmpty();
        assertThat(warnings(application, PrototypeShop.class)).isEmpty();
    }

    @Test
    void nothingIsWarnedOfWhileTheClassOfABeanIsUnknown() {
        assertThat(warnings(application, LaterByInterface.class)).isEmpty();
    }

    @Test
    void nothingIsWarnedOfWhereABeanHasTheRegistry() {
        assertThat(warnings(application, ByHand.class)).isEmpty();
    }

    @Test
    void aBeanThatHasTheContextAloneChangesNothing() {
        assertThat(warnings(application, KnowsTheContext.class)).hasSize(2);
    }

    private static List<String> warnings(ApplicationContextRunner application, Class<?>... components) {
        List<String> warnings = new ArrayList<>();
        application.withUserConfiguration(components).run(context -> {
            assertThat(context).hasNotFailed();
            warnings.addAll(context.getBean(StartupWarnings.class).all());
        });
        return warnings;
    }

    static class ValuedShop {

        @Retryable(maxAttempts = 3)
        public void sell() {}

        @Retryable(delay = "1s")
        public void show() {}
    }

    static class Shop {

        @Bulkhead("gateway")
        @Retryable("gateway")
        public void sell() {}
    }

    @Lazy
    static class LazyShop extends Shop {}

    @Scope("prototype")
    static class PrototypeShop extends Shop {}

    interface Port {}

    static class Adapter extends Shop implements Port {}

    @Configuration(proxyBeanMethods = false)
    static class LaterByInterface {

        @Bean
        @Lazy
        Port port() {
            return new Adapter();
        }
    }

    static class KnowsTheContext {

        KnowsTheContext(ApplicationContext context) {}
    }

    static class ByHand {

        ByHand(ResilienceRegistry registry) {
            assertThat(registry.retries()).containsKey("gateway");
        }
    }
}
