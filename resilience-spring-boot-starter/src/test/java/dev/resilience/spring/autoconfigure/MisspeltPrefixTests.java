package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.Applications;
import dev.resilience.spring.StartupWarnings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Everything below a misspelt prefix would be silently without effect. */
class MisspeltPrefixTests {

    private static List<String> warnings(String... properties) {
        List<String> warnings = new ArrayList<>();
        Applications.plain().withPropertyValues(properties).run(context -> {
            assertThat(context).hasNotFailed();
            warnings.addAll(context.getBean(StartupWarnings.class).all());
        });
        return warnings;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resillience",
                "resilence",
                "reslience",
                "resiliance",
                "resileince",
                "esilience",
                "tesilience",
                "risiliense",
                "resilienc",
                "resiliences",
                "RESILIENNCE",
                "resil-liencee"
            })
    void isWarnedOfWithWhatIsBelowIt(String prefix) {
        String property = prefix + ".retry.payments.max-attempts";

        assertThat(warnings(property + "=5"))
                .singleElement()
                .asString()
                .containsIgnoringCase(property)
                .contains("has no effect. Did you mean 'resilience.retry.payments.max-attempts'?");
    }

    @ParameterizedTest
    @ValueSource(strings = {"enabled=false", "order=retry", "advice-mode=aspectj", "retries.payments.max-attempts=5"})
    void isWarnedOfWhateverIsBelowIt(String below) {
        assertThat(warnings("resillience." + below))
                .as(below)
                .singleElement()
                .asString()
                .contains("has no effect");
    }

    @Test
    void isWarnedOfOnce() {
        assertThat(warnings("resillience.retry.a.max-attempts=5", "resillience.retry.b.max-attempts=5"))
                .singleElement()
                .asString()
                .contains("'resillience.retry.a.max-attempts'", "Below 'resillience' are 1 more");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "resilience4j.retry.instances.a.max-attempts=5",
                "resistance.retry.a.max-attempts=5",
                "residence.rooms=5",
                "experience.retry.a.max-attempts=5",
                "resillience=5",
                "resource.order=5",
                "management.order=5"
            })
    void othersAreNone(String property) {
        assertThat(warnings(property)).noneMatch(warning -> warning.contains("Did you mean"));
    }
}
