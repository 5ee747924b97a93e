package dev.resilience.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.exception.RateLimitExceededException;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code RateLimit-Policy} and {@code RateLimit}: structured fields (RFC 9651) of whole seconds. */
class RateLimitFieldsTests {

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '\'',
            value = {
                "orders, 100, PT1S, PT0.01S, '\"orders\";q=100;w=1', '\"orders\";r=0;t=1'",
                "orders, 5, PT24H, PT7H, '\"orders\";q=5;w=86400', '\"orders\";r=0;t=25200'",
                "orders, 10, PT0.1S, PT0.05S, '\"orders\";q=100;w=1', '\"orders\";r=0;t=1'",
                "orders, 2147483647, PT240000H, PT1S, '\"orders\";q=2147483647;w=864000000', '\"orders\";r=0;t=1'",
                "orders, 5, PT2562048H, PT1S, '\"orders\";q=5;w=9223372800', '\"orders\";r=0;t=1'",
                "orders, 29, PT0.29S, PT0.01S, '\"orders\";q=100;w=1', '\"orders\";r=0;t=1'",
                "orders, 3, PT1.5S, PT1.000000001S, '\"orders\";q=4;w=2', '\"orders\";r=0;t=2'",
                "'a\"b\\c', 1, PT1S, PT1S, '\"a\\\"b\\\\c\";q=1;w=1', '\"a\\\"b\\\\c\";r=0;t=1'",
                "für, 1, PT1S, PT1S, '\"f?r\";q=1;w=1', '\"f?r\";r=0;t=1'"
            })
    void saysTheLimitAndWhenThereIsAPermit(
            String name, int permits, Duration period, Duration wait, String policy, String limit) {
        assertThat(new RateLimitExceededException(name, wait, permits, period, "why").httpFields())
                .isEqualTo(Map.of("RateLimit-Policy", policy, "RateLimit", limit));
    }
}
