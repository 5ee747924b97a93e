package dev.resilience.spring.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.policy.InvalidPolicyException;
import java.net.URI;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Which hosts a pattern stands for, and which of two patterns goes before the other. */
class HostPatternTests {

    private static boolean matches(String pattern, String url) {
        return HostPattern.of(pattern).matches(Objects.requireNonNull(HostPattern.hostOf(URI.create(url))));
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com, https://api.example.com/pay?to=1",
        "API.Example.com, https://api.example.COM",
        "*.example.com, https://a.b.example.com",
        "api-*.example.com, http://api-2.example.com:8080",
        "*, http://anything",
        "localhost:8080, http://localhost:8080/",
        "localhost:80, http://localhost/",
        "localhost:080, http://localhost:80/",
        "localhost:443, HTTPS://localhost/",
        "my_service, http://my_service/",
        "my_service:81, http://my_service:81/",
        "[::1]:8080, http://[::1]:8080/x",
        "[::1], http://[::1]/",
        "api.example.com, https://user:secret@api.example.com/"
    })
    void aPatternMatches(String pattern, String url) {
        assertThat(matches(pattern, url)).isTrue();
    }

    @ParameterizedTest
    @CsvSource({
        "*.example.com, https://example.com",
        "example.com, https://api.example.com",
        "example.com, https://example.com.evil.org",
        "example.com, https://example.com@evil.org",
        "localhost:8080, http://localhost:8081/",
        "localhost:8080, http://localhost/",
        "[::1]:8080, http://[::1]:8081/"
    })
    void aPatternDoesNotMatch(String pattern, String url) {
        assertThat(matches(pattern, url)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "localhost:65536",
                " ",
                "https://api.example.com",
                "api.example.com/pay",
                "/pay",
                "api.example.com:",
                "api.example.com:http",
                "api.example.com:0",
                "user@api.example.com",
                "api.example.com?x",
                "a b",
                "::1"
            })
    void whatIsNoHostIsRefused(String pattern) {
        assertThatThrownBy(() -> HostPattern.of(pattern))
                .isInstanceOf(InvalidPolicyException.class)
                .hasMessageContaining("hosts");
    }

    @Test
    void theMoreSpecificPatternIsTheGreater() {
        assertThat(Stream.of(
                                "*",
                                "*.com",
                                "*.example.com",
                                "*.example.com:443",
                                "api.example.com",
                                "api.example.com:443")
                        .map(HostPattern::of))
                .isSortedAccordingTo(HostPattern.BY_PRECISION);
    }

    @ParameterizedTest
    @CsvSource({
        "api.example.com, API.example.com, true",
        "*.example.com, *.example.com, true",
        "a*.com, *b.com, true",
        "a*, b*, false",
        "*.example.com:80, *.example.com:81, false",
        "*.example.com:80, *.example.com, false",
        "a.example.com, b.example.com, false",
        "*.example.com, *.example.org, false",
        "*ab, *ba, false"
    })
    void patternsTieIfTheyMatchOneHostAndAreEquallySpecific(String one, String other, boolean tie) {
        assertThat(HostPattern.of(one).ties(HostPattern.of(other))).isEqualTo(tie);
        assertThat(HostPattern.of(other).ties(HostPattern.of(one))).isEqualTo(tie);
    }
}
