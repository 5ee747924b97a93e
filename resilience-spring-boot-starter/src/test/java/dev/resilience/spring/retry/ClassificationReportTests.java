package dev.resilience.spring.retry;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.log.CapturedLines;
import org.junit.jupiter.api.Test;

/** Which retry policies the startup says to rely on the classification of failures alone. */
class ClassificationReportTests {

    static class Shop {

        @Retryable("two")
        public void order() {}

        @Retryable("two")
        public void orderAgain() {}

        @Retryable("three")
        public void pay() {}

        @Retryable("four")
        public void send() {}
    }

    @Test
    void namesThoseInUseInOneLine() {
        try (CapturedLines log = CapturedLines.of(ClassificationReport.class)) {
            Applications.plain(Shop.class)
                    .withPropertyValues("resilience.retry.four.do-not-retry-on=java.io.IOException")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.single().getLevel()).isEqualTo(Level.INFO);
            assertThat(log.single().getFormattedMessage())
                    .contains("retry-on", "retry-if", "retry-unknown")
                    .endsWith(": 'three', 'two'");
            assertThat(CapturedLines.event(log.single())).isEqualTo("retry_by_classification");
        }
    }

    @Test
    void leavesOutWhatIsSwitchedOff() {
        try (CapturedLines log = CapturedLines.of(ClassificationReport.class)) {
            Applications.plain(Shop.class)
                    .withPropertyValues("resilience.retry.two.enabled=false", "resilience.retry.four.enabled=false")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.single().getFormattedMessage()).endsWith(": 'three'");
        }
    }

    @Test
    void saysNothingWhereEveryPolicySaysMore() {
        try (CapturedLines log = CapturedLines.of(ClassificationReport.class)) {
            Applications.plain(Shop.class)
                    .withPropertyValues("resilience.retry.default.retry-unknown=true")
                    .run(context -> assertThat(context).hasNotFailed());

            assertThat(log.all()).isEmpty();
        }
    }
}
