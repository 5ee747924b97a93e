package dev.resilience.spring.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.StartupWarnings;
import org.junit.jupiter.api.Test;

/** Whether a retried method calls another one shows when it does. */
class NestedRetryWarningTests {

    @Test
    void retriesInsideRetriesAreAWarningOnceTheyAreSeen() {
        Applications.plain(Shop.class, Stock.class).run(context -> {
            StartupWarnings warnings = context.getBean(StartupWarnings.class);
            assertThat(warnings.all()).isEmpty();

            context.getBean(Shop.class).sell();
            context.getBean(Shop.class).sell();

            assertThat(warnings.all())
                    .singleElement()
                    .asString()
                    .contains("Retry 'three'", "inside retry 'two'", "'resilience.retry.three.nested' to suppress")
                    .endsWith("[retry-inside-retry] (docs/warnings.md#retry-inside-retry)");
            assertThat(warnings.all()).hasSize(1);
        });
    }

    @Test
    void oneThatLeavesRetryingToTheOuterOneIsNone() {
        Applications.plain(Shop.class, Stock.class)
                .withPropertyValues("resilience.retry.three.nested=suppress")
                .run(context -> {
                    context.getBean(Shop.class).sell();

                    assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
                });
    }

    @Test
    void oneThatIsNotInsideAnotherIsNone() {
        Applications.plain(Shop.class, Stock.class).run(context -> {
            context.getBean(Stock.class).take();

            assertThat(context.getBean(StartupWarnings.class).all()).isEmpty();
        });
    }

    static class Shop {

        private final Stock stock;

        Shop(Stock stock) {
            this.stock = stock;
        }

        @Retryable("two")
        public void sell() {
            stock.take();
        }
    }

    static class Stock {

        @Retryable("three")
        public void take() {}
    }
}
