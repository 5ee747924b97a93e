package dev.resilience.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.log.CapturedLines;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A startup warning is ignored by its id. */
class IgnoredWarningsTests {

    @Test
    void aWarningEndsWithItsIdAndItsPlaceInTheDocs() {
        assertThat(Applications.warnings(Shop.class))
                .hasSize(2)
                .anySatisfy(warning -> assertThat(warning)
                        .contains("Shop.placeOrder()")
                        .endsWith("[retry-of-creation] (docs/warnings.md#retry-of-creation)"))
                .anySatisfy(warning -> assertThat(warning)
                        .contains("called through 'this'")
                        .endsWith("[self-invocation] (docs/warnings.md#self-invocation)"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resilience.warnings.ignore=retry-of-creation",
                "resilience.warnings.ignore[0]=retry-of-creation",
                "resilience.warnings.ignore=${none:retry-of-creation}, queue-too-long"
            })
    void oneThatIsIgnoredIsNeitherShownNorLogged(String property) {
        try (CapturedLines log = CapturedLines.of(StartupWarnings.class)) {
            Applications.plain(Shop.class)
                    .withPropertyValues(property)
                    .run(context -> assertThat(
                                    context.getBean(StartupWarnings.class).all())
                            .singleElement()
                            .asString()
                            .contains("[self-invocation]"));

            assertThat(log.single().getFormattedMessage()).contains("[self-invocation]");
        }
    }

    @Test
    void anIdThatDoesNotExistFailsTheStartupWithTheNearest() {
        Applications.plain(Shop.class)
                .withPropertyValues("resilience.warnings.ignore=retry-of-creatoin")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(ResilienceConfigurationException.class, failure -> {
                            assertThat(failure).hasMessageContaining("'retry-of-creatoin'");
                            assertThat(failure.action())
                                    .contains("'resilience.warnings.ignore'", "Did you mean 'retry-of-creation'");
                        }));
    }

    @Test
    void aMisspeltKeyFailsTheStartupWithTheNearest() {
        Applications.plain(Shop.class)
                .withPropertyValues("resilience.warning.ignore=retry-of-creation")
                .run(context -> assertThat(context.getStartupFailure())
                        .isInstanceOfSatisfying(
                                ResilienceConfigurationException.class,
                                failure -> assertThat(failure.action()).contains("warnings.ignore")));
    }

    static class Shop {

        @Retryable("three")
        public void placeOrder() {}

        public void placeAll() {
            placeOrder();
        }
    }
}
