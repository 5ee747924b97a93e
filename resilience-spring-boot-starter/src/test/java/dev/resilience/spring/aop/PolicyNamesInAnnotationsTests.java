package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceConfigurationException;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class PolicyNamesInAnnotationsTests {

    @Test
    void mayBePlaceholders() {
        runner().withPropertyValues("shop.retry=four").run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(context.getBean(Callee.class).attemptsOf(shop::byPlaceholder))
                    .isEqualTo(4);
        });
    }

    @Test
    void mayHaveDefaults() {
        runner().withPropertyValues("shop.retry=four").run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThat(context.getBean(Callee.class).attemptsOf(shop::withDefault))
                    .isEqualTo(5);
        });
    }

    @Test
    void thatCannotBeResolvedFailTheStart() {
        runner().run(context -> assertThat(context)
                .getFailure()
                .isInstanceOf(ResilienceConfigurationException.class)
                .hasMessageContaining("'${shop.retry}'")
                .hasMessageContaining(Shop.class.getName() + ".byPlaceholder()"));
    }

    @Test
    void thatNameNothingFailTheStartWithTheNearestOnes() {
        runner().withPropertyValues("shop.retry=fourr")
                .run(context -> assertThat(context)
                        .getFailure()
                        .isInstanceOfSatisfying(ResilienceConfigurationException.class, failure -> {
                            assertThat(failure)
                                    .hasMessageContaining("'fourr'")
                                    .hasMessageContaining("Shop.byPlaceholder()");
                            assertThat(failure.action()).contains("Did you mean 'four'");
                        }));
    }

    private static ApplicationContextRunner runner() {
        return Applications.plain(Shop.class);
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("${shop.retry}")
        public String byPlaceholder() throws ConnectException {
            return callee.call();
        }

        @Retryable("${shop.other-retry:five}")
        public String withDefault() throws ConnectException {
            return callee.call();
        }
    }
}
