package dev.resilience.retry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.retry.RetryBudget.Reservation;
import dev.resilience.retry.window.RetryBudgetWindow;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

/** A budget of two retries per second and a tenth of the calls, in a window of ten seconds: an allowance of twenty. */
class RetryReservationTests {

    private static final Duration WINDOW = Duration.ofSeconds(10);
    private static final Duration SLOT = WINDOW.dividedBy(RetryBudgetWindow.SLOTS_PER_WINDOW);
    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTimeSource time = new ManualTimeSource();
    private final RetryBudget budget = new RetryBudget("shared", new RetryBudgetPolicy(0.1, WINDOW, 2), time);
    private int refusedLate;

    @Test
    void aReservedRetryIsNotAvailableToOthers() {
        budget.reserve(SECOND);

        assertThat(budget.available()).isEqualTo(19);
    }

    @Test
    void noMoreAreReservedThanThereAre() {
        assertThat(reserveAll(SECOND)).hasSize(20);
        assertThat(budget.tryAcquire()).isFalse();
    }

    @Test
    void aReservedRetryCountsFromWhenItIsMade() {
        Reservation reserved = reserve(SECOND);
        time.advance(SECOND);
        assertThat(reserved.use()).isTrue();

        time.advance(WINDOW);
        assertThat(budget.available()).isEqualTo(19);
        time.advance(SLOT);
        assertThat(budget.available()).isEqualTo(20);
    }

    @Test
    void whatIsGivenBackIsAvailableAgain() {
        List<Reservation> reserved = reserveAll(SECOND);

        reserved.get(0).giveBack();

        assertThat(budget.available()).isEqualTo(1);
        assertThat(budget.reserve(SECOND)).isNotNull();
        assertThat(budget.reserve(SECOND)).isNull();
    }

    @Test
    void aWaitUntilEarlierRetriesHaveLeftTheWindowDoesNotCountThem() {
        while (budget.tryAcquire()) {
            // all of them now
        }
        time.advance(Duration.ofSeconds(6));

        assertThat(budget.reserve(Duration.ofSeconds(4))).isNull();
        assertThat(reserveAll(Duration.ofSeconds(5)))
                .hasSize(20)
                .allSatisfy(reserved -> assertThat(reserved).isNotNull());
        assertThat(budget.available()).isZero();
    }

    @Test
    void aCallThatComesBackLateStillHasItsRetry() {
        List<Reservation> reserved = reserveAll(SECOND);
        time.advance(SECOND.plus(WINDOW));

        assertThat(budget.tryAcquire()).isFalse();
        assertThat(reserved).allSatisfy(late -> assertThat(late.use()).isTrue());
    }

    @Test
    void aReservationLapsesWhenItIsAWindowLate() {
        List<Reservation> lost = reserveAll(SECOND);
        time.advance(SECOND.plus(WINDOW).plus(SLOT));

        assertThat(budget.available()).isEqualTo(20);
        assertThat(reserveAll(SECOND)).hasSize(20);
        assertThat(lost.get(0).use()).as("a retry that others have reserved").isFalse();
        lost.get(1).giveBack();
        assertThat(budget.available()).isZero();
    }

    @Test
    void aCallThatComesBackAfterItsReservationHasLapsedIsGrantedWhatIsLeft() {
        Reservation lost = reserve(SECOND);
        time.advance(Duration.ofDays(1));

        assertThat(lost.use()).isTrue();
        assertThat(budget.available()).isEqualTo(19);
    }

    @Test
    void nothingIsKeptForAWaitThatIsLongerThanTheWindow() {
        Reservation notKept = reserve(WINDOW.plusNanos(1));

        assertThat(budget.available()).isEqualTo(20);
        notKept.giveBack();
        assertThat(budget.available()).isEqualTo(20);
        assertThat(notKept.use()).isTrue();
        assertThat(budget.available()).isEqualTo(19);
    }

    @Test
    void aWaitThatIsLongerThanTheWindowDoesNotBeginWhileTheBudgetIsExhausted() {
        reserveAll(SECOND);

        assertThat(budget.reserve(WINDOW.plusNanos(1))).isNull();
    }

    @Test
    void theLongestWindowThereIsOverflowsNothing() {
        Duration ever = Duration.ofNanos(Long.MAX_VALUE);
        RetryBudget eternal = new RetryBudget("eternal", new RetryBudgetPolicy(0, ever, 1), time);
        time.advance(Duration.ofDays(1));

        Reservation reserved = eternal.reserve(ever);

        assertThat(reserved).isNotNull();
        assertThat(reserved.due()).isEqualTo(RetryBudgetWindow.SLOTS_PER_WINDOW);
    }

    /** There are 32 of them on average. */
    @Test
    void inSteadyTrafficMoreThanTheAllowanceMayWait() {
        Duration upToTwoSeconds = Duration.ofSeconds(2);
        steadyTraffic(15, 31, upToTwoSeconds);

        assertThat(steadyTraffic(30, 31, upToTwoSeconds)).isGreaterThan(30_000 / 31 * 99 / 100);
        assertThat(refusedLate).isZero();
    }

    @Test
    void inSteadyTrafficTheBudgetGivesWhatItPromisesAndLetsNoneWaitInVain() {
        steadyTraffic(15, 4, SECOND);

        assertThat(steadyTraffic(60, 4, SECOND) / 60.0).as("of 102 a second").isBetween(90.0, 103.0);
        assertThat(refusedLate).isZero();
    }

    @Test
    void whenTrafficStopsWhatWasExpectedIsRefusedAndThePromiseIsKept() {
        steadyTraffic(30, 31, SECOND);

        List<Reservation> waiting = reserveAll(SLOT);
        waiting.addAll(reserveAll(SLOT.multipliedBy(2)));
        time.advance(SECOND);
        long made = waiting.stream().filter(Reservation::use).count();

        assertThat(waiting).hasSizeGreaterThan(20);
        assertThat(made).isLessThanOrEqualTo(20);
    }

    @Test
    void aBurstIsNotTakenForSteadyTraffic() {
        time.advance(WINDOW.multipliedBy(3));
        for (int call = 0; call < 10_000; call++) {
            budget.firstAttemptEnded();
        }

        assertThat(reserveAll(SECOND)).hasSize(20);
    }

    @Test
    void noMoreCallsWaitLongerThanTheWindowThanMayRetryAfterwards() {
        List<Reservation> waiting = reserveSome(1_000, WINDOW.multipliedBy(3));

        assertThat(waiting).hasSize(20);
        time.advance(WINDOW.multipliedBy(3));
        assertThat(waiting).allMatch(Reservation::use);
    }

    @Test
    void aLongWaitThatIsGivenBackLetsAnotherCallWait() {
        Duration wait = WINDOW.multipliedBy(3);
        List<Reservation> waiting = reserveSome(1_000, wait);

        waiting.get(0).giveBack();

        assertThat(reserveSome(1_000, wait)).hasSize(1);
    }

    @Test
    void aLongWaitThatIsNeverEndedKeepsNobodyFromALaterOne() {
        Duration wait = WINDOW.multipliedBy(3);
        List<Reservation> lost = reserveSome(1_000, wait);

        time.advance(wait);

        List<Reservation> later = reserveSome(1_000, wait);
        assertThat(later).hasSize(20);
        lost.forEach(Reservation::giveBack);
        assertThat(reserveSome(1_000, wait)).isEmpty();
    }

    @Test
    void moreCallsWaitLongerThanTheWindowWhereSteadyTrafficPaysForThem() {
        for (int call = 0; call < 30_000; call++) {
            time.advance(Duration.ofMillis(1));
            budget.firstAttemptEnded();
            if (call % 100 == 0) {
                budget.tryAcquire();
            }
        }

        assertThat(reserveSome(10_000, WINDOW.multipliedBy(3))).hasSizeBetween(900, 1_020);
    }

    /** A thousand calls a second, of which every so many wants to wait for a retry; how many of them are let wait. */
    private int steadyTraffic(int seconds, int oneIn, Duration longestWait) {
        SplittableRandom random = new SplittableRandom(4711);
        int reserved = 0;
        for (int call = 0; call < seconds * 1_000; call++) {
            time.advance(Duration.ofMillis(1));
            budget.firstAttemptEnded();
            if (call % oneIn == 0) {
                Duration wait = Duration.ofNanos(random.nextLong(longestWait.toNanos()));
                Reservation mine = budget.reserve(wait);
                if (mine != null) {
                    reserved++;
                    time.schedule(wait, () -> refusedLate += mine.use() ? 0 : 1);
                }
            }
        }
        return reserved;
    }

    private List<Reservation> reserveAll(Duration wait) {
        List<Reservation> all = new ArrayList<>();
        Reservation next = budget.reserve(wait);
        while (next != null) {
            all.add(next);
            next = budget.reserve(wait);
        }
        return all;
    }

    private List<Reservation> reserveSome(int asked, Duration wait) {
        List<Reservation> reserved = new ArrayList<>();
        for (int call = 0; call < asked; call++) {
            Reservation mine = budget.reserve(wait);
            if (mine != null) {
                reserved.add(mine);
            }
        }
        return reserved;
    }

    private Reservation reserve(Duration wait) {
        Reservation reserved = budget.reserve(wait);
        assertThat(reserved).isNotNull();
        return reserved;
    }
}
