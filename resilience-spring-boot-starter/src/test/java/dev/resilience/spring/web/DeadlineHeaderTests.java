package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.event.Outcome;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.web.CallContextExtractor.DeadlineOutcome;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlineHeaderTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final DeadlineHeader header = new DeadlineHeader("X-Time", Duration.ofMillis(100));
    private final CallContextExtractor calls = extractor(true, Duration.ZERO, true);

    @ParameterizedTest
    @CsvSource({
        "1500, PT1.5S",
        "0, PT0S",
        "' 250 ', PT0.25S",
        "007, PT0.007S",
        "31536000000, PT8760H",
        "0000000000000000000000000000001, PT0.001S"
    })
    void tellsHowMuchTimeIsLeft(String value, Duration left) {
        Deadline deadline = read(value).deadline();

        assertThat(deadline.left()).isEqualTo(left);
        assertCounted(1, 0);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "-1",
                "+1",
                "1.5",
                "1e3",
                "1_000",
                "1,000",
                "0x10",
                "PT1S",
                "1000ms",
                "١٢",
                "NaN",
                "null",
                "31536000001",
                "9223372036854775807",
                "9223372036854775808",
                "99999999999999999999999999999999999999",
                "1000; drop table",
                "1000\u0000"
            })
    void anythingElseIsIgnoredAndCounted(String value) {
        assertThat(read(value).deadline()).isNull();
        assertCounted(0, 1);
    }

    @ParameterizedTest
    @CsvSource({"30, PT0.2S", "199, PT0.2S", "200, PT0.2S", "201, PT0.201S", "0, PT0S"})
    void isNoShorterThanTheMinimumUnlessThereIsNone(String value, Duration left) {
        CallContextExtractor careful = extractor(true, Duration.ofMillis(200), true);

        Deadline deadline = careful.context(name -> name.equals("X-Time") ? List.of(value) : List.of())
                .deadline();

        assertThat(deadline.left()).isEqualTo(left);
    }

    @Test
    void isIgnoredWhereNoRequestIsBelieved() {
        CallContextExtractor distrustful = extractor(false, Duration.ZERO, true);

        assertThat(distrustful
                        .context(name -> name.equals("X-Time") ? List.of("100") : List.of())
                        .deadline())
                .isNull();
        assertThat(distrustful.deadlines().get(DeadlineOutcome.IGNORED)).isOne();
    }

    @Test
    void twoOfThemAreNone() {
        assertThat(read("100", "200").deadline()).isNull();
        assertCounted(0, 1);
    }

    @Test
    void aRequestWithoutItIsNotCounted() {
        assertThat(calls.context(name -> List.of())).isEqualTo(CallContext.NONE);
        assertCounted(0, 0);
    }

    @ParameterizedTest
    @CsvSource({"PT2S, 1900", "PT0.1S, 0", "PT0.05S, 0", "PT0S, 0", "PT1.1009999S, 1000"})
    void isWrittenInWholeMillisecondsLessTheMargin(Duration left, String written) {
        assertThat(header.value(Deadline.in(left, time))).isEqualTo(written);
    }

    @ParameterizedTest
    @CsvSource({
        "2, 2",
        "' 3 ', 3",
        "007, 7",
        "999999999, 999999999",
        "9999999999, 2147483647",
        "99999999999999999999, 2147483647"
    })
    void aRepetitionIsKnownByItsNumber(String value, int number) {
        Attempt attempt = attempt(List.of(value));

        assertThat(attempt.number()).isEqualTo(number);
        assertThat(attempt.by()).isEqualTo("the retry of another service");
    }

    @ParameterizedTest
    @ValueSource(strings = {"1", "0", "-2", "+2", "two", "", "2.0", "000"})
    void anythingElseIsNoRepetition(String value) {
        assertThat(attempt(List.of(value))).isNull();
    }

    @Test
    void ofSeveralNumbersTheHighestCounts() {
        assertThat(attempt(List.of("2", "3", "x")).number()).isEqualTo(3);
    }

    @Test
    void whereItReachesReactiveMethodsAloneItIsAcceptedAllTheSame() {
        CallContextExtractor unheard = extractor(true, Duration.ZERO, false);

        unheard.context(name -> name.equals("X-Time") ? List.of("100") : List.of());

        assertThat(unheard.deadlines().get(DeadlineOutcome.ACCEPTED)).isOne();
        assertThat(unheard.deadlines().get(DeadlineOutcome.IGNORED)).isZero();
    }

    private CallContext read(String... values) {
        return calls.context(name -> name.equals("X-Time") ? List.of(values) : List.of());
    }

    private Attempt attempt(List<String> values) {
        return calls.context(name -> name.equals("X-Attempt-Number") ? values : List.of())
                .attempt();
    }

    private void assertCounted(long accepted, long ignored) {
        assertThat(Map.<Outcome, Long>of(
                        DeadlineOutcome.ACCEPTED, calls.deadlines().get(DeadlineOutcome.ACCEPTED),
                        DeadlineOutcome.IGNORED, calls.deadlines().get(DeadlineOutcome.IGNORED)))
                .isEqualTo(Map.of(DeadlineOutcome.ACCEPTED, accepted, DeadlineOutcome.IGNORED, ignored));
    }

    private CallContextExtractor extractor(boolean fromRequests, Duration minimum, boolean reachMethods) {
        return new CallContextExtractor(
                new ResilienceProperties.Deadline(fromRequests, minimum, "X-Time", Duration.ofMillis(100)),
                time,
                reachMethods);
    }
}
