package dev.resilience.context;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class DeadlineTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTimeSource time = new ManualTimeSource();

    @AfterEach
    void nothingStaysCurrent() {
        assertThat(Deadline.current()).isNull();
    }

    @Test
    void theTimeLeftShrinksToZeroAndStaysThere() {
        Deadline deadline = Deadline.in(SECOND, time);
        assertThat(deadline.left()).isEqualTo(SECOND);

        time.advance(Duration.ofMillis(999));
        assertThat(deadline.left()).isEqualTo(Duration.ofMillis(1));
        assertThat(deadline.isOver()).isFalse();

        time.advance(Duration.ofMillis(1));
        assertThat(deadline.left()).isZero();
        assertThat(deadline.isOver()).isTrue();

        time.advance(Duration.ofDays(1));
        assertThat(deadline.left()).isZero();
        assertThat(deadline.isOver()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0S", "PT-0.000000001S", "PT-1H", "PT-2562047788015215H"})
    void whatIsNotInTheFutureIsOverAtOnce(Duration left) {
        Deadline deadline = Deadline.in(left, time);

        assertThat(deadline.isOver()).isTrue();
        assertThat(deadline.left()).isZero();
        assertThat(deadline.allows(Duration.ZERO)).isFalse();
    }

    @Test
    void mayBeAsFarAwayAsADurationCanTell() {
        Deadline deadline = Deadline.in(Duration.ofSeconds(Long.MAX_VALUE, 999_999_999), time);

        time.advance(Duration.ofDays(365 * 200));

        assertThat(deadline.isOver()).isFalse();
        assertThat(deadline.left()).isGreaterThan(Duration.ofDays(365 * 90));
    }

    @Test
    void theWallClockDoesNotMatter() {
        ManualTimeSource jumping = new ManualTimeSource(Instant.parse("2026-01-01T00:00:00Z"));
        Deadline deadline = Deadline.in(SECOND, jumping);

        jumping.shiftWallClock(Duration.ofDays(-365));

        assertThat(deadline.left()).isEqualTo(SECOND);
    }

    @ParameterizedTest
    @CsvSource({"PT0S, true", "PT0.999999999S, true", "PT1S, false", "PT1M, false"})
    void allowsWaitsThatLeaveTimeForSomethingElse(Duration wait, boolean allowed) {
        assertThat(Deadline.in(SECOND, time).allows(wait)).isEqualTo(allowed);
    }

    @ParameterizedTest
    @CsvSource({"PT0.1S, PT0.9S", "PT1S, PT0S", "PT1M, PT0S", "PT0S, PT1S"})
    void grantsACalleeWhatIsLeftLessTheMargin(Duration margin, Duration granted) {
        assertThat(Deadline.in(SECOND, time).leftAfter(margin)).isEqualTo(granted);
    }

    @Nested
    class TheCurrentOne {

        @Test
        void isTheOneOfTheCall() throws Exception {
            Deadline deadline = Deadline.in(SECOND, time);

            assertThat(deadline.call(Deadline::current)).isSameAs(deadline);
        }

        @Test
        void isNeverLaterThanThatOfTheCallAround() throws Exception {
            Deadline sooner = Deadline.in(SECOND, time);
            Deadline later = Deadline.in(SECOND.plusNanos(1), time);

            assertThat(sooner.call(() -> later.call(Deadline::current))).isSameAs(sooner);
            assertThat(later.call(() -> sooner.call(Deadline::current))).isSameAs(sooner);
        }

        @Test
        void isAgainTheOuterOneAfterTheInnerCall() throws Exception {
            Deadline outer = Deadline.in(SECOND, time);
            Deadline inner = Deadline.in(Duration.ofMillis(1), time);

            outer.call(() -> {
                assertThatThrownBy(() -> inner.call(() -> {
                            throw new IOException("broken");
                        }))
                        .isInstanceOf(IOException.class);
                assertThat(Deadline.current()).isSameAs(outer);
                return null;
            });
        }

        @Test
        void isAgainTheOuterOneEvenIfItHasPassedMeanwhile() throws Exception {
            Deadline outer = Deadline.in(SECOND, time);

            outer.call(() -> {
                Deadline.in(SECOND, time).call(() -> {
                    time.advance(SECOND);
                    return null;
                });
                assertThat(Deadline.current()).isSameAs(outer);
                return null;
            });
        }

        @Test
        void canBeIgnoredForAWhile() throws Exception {
            Deadline deadline = Deadline.in(SECOND, time);

            deadline.call(() -> {
                assertThat(Deadline.ignoring(() -> String.valueOf(Deadline.current())))
                        .isEqualTo("null");
                assertThat(Deadline.current()).isSameAs(deadline);
                return null;
            });
            assertThat(Deadline.ignoring(() -> "without one")).isEqualTo("without one");
        }

        @Test
        void belongsToOneThread() throws Exception {
            Deadline.in(SECOND, time).call(() -> {
                assertThat(CompletableFuture.supplyAsync(Deadline::current).get())
                        .isNull();
                return null;
            });
        }
    }

    @Nested
    class TheCheck {

        @Test
        void passesWhereThereIsTime() {
            assertThatCode(Deadline::check).doesNotThrowAnyException();
            assertThatCode(() -> Deadline.in(SECOND, time).call(() -> {
                        Deadline.check();
                        return null;
                    }))
                    .doesNotThrowAnyException();
        }

        @Test
        void refusesWhereThereIsNone() {
            assertThatThrownBy(() -> Deadline.in(SECOND, time).call(() -> {
                        time.advance(SECOND);
                        Deadline.check();
                        return null;
                    }))
                    .isInstanceOf(DeadlineExceededException.class)
                    .hasMessage("No time was left before the deadline: the call was not made");
        }
    }

    @Nested
    class TheLimitOfAWait {

        @Test
        void isTheWaitItselfWithoutDeadlineOrBeforeIt() throws Exception {
            assertThat(Deadline.limit(SECOND)).isEqualTo(SECOND);
            assertThat(Deadline.in(SECOND.plusNanos(1), time).call(() -> Deadline.limit(SECOND)))
                    .isEqualTo(SECOND);
        }

        @Test
        void isWhatIsLeftUntilTheDeadline() throws Exception {
            Deadline deadline = Deadline.in(SECOND, time);
            time.advance(Duration.ofMillis(400));

            assertThat(deadline.call(() -> Deadline.limit(SECOND))).isEqualTo(Duration.ofMillis(600));
            time.advance(SECOND);
            assertThat(deadline.call(() -> Deadline.limit(SECOND))).isZero();
        }
    }
}
