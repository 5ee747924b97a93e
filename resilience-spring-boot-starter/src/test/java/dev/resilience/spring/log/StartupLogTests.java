package dev.resilience.spring.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.StartupProblems;
import dev.resilience.spring.StartupWarnings;
import org.junit.jupiter.api.Test;

/** The lines of the startup have an event as those of calls do. */
class StartupLogTests {

    @Test
    void aWarningIsLoggedOnce() {
        StartupWarnings warnings = new StartupWarnings();
        try (CapturedLines log = CapturedLines.of(StartupWarnings.class)) {
            warnings.add("A {} is not protected");
            warnings.add("A {} is not protected");

            assertThat(log.single().getLevel()).isEqualTo(Level.WARN);
            assertThat(log.single().getFormattedMessage()).isEqualTo("A {} is not protected");
            assertThat(CapturedLines.event(log.single())).isEqualTo("startup_warning");
        }
    }

    @Test
    void problemsThatNoStartupThrewAreAnError() {
        StartupProblems problems = new StartupProblems();
        problems.add(new ResilienceConfigurationException("max-attempts is 0", "Write 1 or more"));
        try (CapturedLines log = CapturedLines.of(StartupProblems.class)) {
            problems.destroy();

            assertThat(log.single().getLevel()).isEqualTo(Level.ERROR);
            assertThat(log.single().getFormattedMessage()).contains("max-attempts is 0", "Write 1 or more");
            assertThat(CapturedLines.event(log.single())).isEqualTo("startup_problems");
        }
    }
}
