package dev.resilience.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** The library's backoff and jitter do in Brooker's model what his own do. */
class ContentionTests {

    /** Between two right simulators one of twenty figures is further off than this in one series of nineteen. */
    private static final double STANDARD_ERRORS = 3;

    @ParameterizedTest
    @FieldSource("dev.resilience.simulation.Published#FIGURES")
    void isThePublishedOneWithinTheErrorOfSampling(Published figure) {
        ContentionSeries series = ContentionSeries.of(figure.strategy(), figure.clients());

        assertThat(Math.abs(series.writes().standardErrorsFrom(figure.writes())))
                .as("%s writes", series.writes())
                .isLessThan(STANDARD_ERRORS);
        assertThat(Math.abs(series.millis().standardErrorsFrom(figure.millis())))
                .as("%s ms", series.millis())
                .isLessThan(STANDARD_ERRORS);
    }

    @Test
    void isLeastWithTheDefaultJitter() {
        ContentionSeries full = ContentionSeries.of(Strategy.FULL, 100);

        for (Strategy other : Strategy.values()) {
            assertThat(ContentionSeries.of(other, 100).writes().mean())
                    .as(other.title())
                    .isGreaterThanOrEqualTo(full.writes().mean());
        }
    }
}
