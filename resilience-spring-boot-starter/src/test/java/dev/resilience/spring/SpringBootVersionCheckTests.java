package dev.resilience.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.support.GenericApplicationContext;

/** On the real versions: see the modules of compatibility/. */
class SpringBootVersionCheckTests {

    private final GenericApplicationContext context = new GenericApplicationContext();

    @ParameterizedTest
    @ValueSource(strings = {"3.5.16", "3.0.0", "2.7.18", "3.5.0-SNAPSHOT"})
    void aVersionThatIsTooOldIsRefusedWithTheCure(String version) {
        assertThatThrownBy(() -> new SpringBootVersionCheck(version).initialize(context))
                .isInstanceOfSatisfying(
                        ResilienceConfigurationException.class,
                        refused -> assertThat(refused.action())
                                .contains("Update the application to Spring Boot 4.0 or later"))
                .hasMessageContaining("does not run on Spring Boot " + version);
    }

    @ParameterizedTest
    @NullSource
    @ValueSource(strings = {"4.0.0", "4.0.0-M1", "4.1.1", "5.0.0-SNAPSHOT", "10.0.0", "", "unknown", "4"})
    void anyOtherVersionIsAccepted(@Nullable String version) {
        assertThatCode(() -> new SpringBootVersionCheck(version).initialize(context))
                .doesNotThrowAnyException();
    }

    @Test
    void anOldVersionIsAcceptedWhereTheLibraryIsSwitchedOff() {
        TestPropertyValues.of("resilience.enabled=false").applyTo(context);

        assertThatCode(() -> new SpringBootVersionCheck("3.5.16").initialize(context))
                .doesNotThrowAnyException();
    }
}
