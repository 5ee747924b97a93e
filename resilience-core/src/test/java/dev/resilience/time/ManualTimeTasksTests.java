package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tasks scheduled on manual time. */
class ManualTimeTasksTests {

    private static final Duration CENTURIES = Duration.ofDays(365_000);

    private final ManualTimeSource time = new ManualTimeSource();
    private final List<String> happened = new ArrayList<>();

    @Test
    void tasksRunInTheOrderOfTheirTimesEachAtItsOwn() {
        schedule(30, "third");
        schedule(10, "first");
        schedule(20, "second");

        time.advance(Duration.ofSeconds(60));

        assertThat(happened).containsExactly("first at PT10S", "second at PT20S", "third at PT30S");
        assertThat(time.elapsed()).isEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void tasksOfTheSameTimeRunInTheOrderTheyWereScheduledIn() {
        for (String name : List.of("a", "b", "c", "d")) {
            schedule(1, name);
        }

        time.advance(Duration.ofSeconds(1));

        assertThat(happened).containsExactly("a at PT1S", "b at PT1S", "c at PT1S", "d at PT1S");
    }

    @Test
    void aTaskWaitsUntilItsTimeHasCome() {
        schedule(10, "task");

        time.advance(Duration.ofSeconds(10).minusNanos(1));
        assertThat(happened).isEmpty();
        time.advance(Duration.ofNanos(1));
        assertThat(happened).containsExactly("task at PT10S");
    }

    @Test
    void aTaskRunsOnce() {
        schedule(1, "task");

        time.advance(Duration.ofSeconds(1));
        time.advance(Duration.ofSeconds(1));

        assertThat(happened).hasSize(1);
    }

    @Test
    void aTaskWithoutDelayRunsAtOnce() {
        schedule(0, "now").cancel();
        schedule(-5, "long ago").cancel();

        assertThat(happened).containsExactly("now at PT0S", "long ago at PT0S");
    }

    @Test
    void aTaskWithoutDelayIsDoneBeforeTheLikeThatItSchedulesRuns() {
        time.schedule(Duration.ZERO, () -> {
            schedule(0, "second");
            schedule(0, "third");
            happened.add("first");
        });

        assertThat(happened).containsExactly("first", "second at PT0S", "third at PT0S");
    }

    @Test
    void aTaskThatThrowsDoesNotTakeWithItWhatItScheduled() {
        assertThatIllegalStateException()
                .isThrownBy(() -> time.schedule(Duration.ZERO, () -> {
                    schedule(0, "second");
                    throw new IllegalStateException();
                }));

        assertThat(happened).containsExactly("second at PT0S");
    }

    @Test
    void aTaskMayScheduleWhatIsDueWithinTheSameAdvance() {
        time.schedule(Duration.ofSeconds(1), () -> schedule(1, "follower"));

        time.advance(Duration.ofSeconds(2));

        assertThat(happened).containsExactly("follower at PT2S");
    }

    @Test
    void aTaskMaySleepAndSoMakeOthersDue() {
        time.schedule(Duration.ofSeconds(1), () -> sleep(Duration.ofSeconds(10)));
        schedule(5, "other");

        time.advance(Duration.ofSeconds(2));

        assertThat(happened).containsExactly("other at PT5S");
        assertThat(time.elapsed()).isEqualTo(Duration.ofSeconds(11));
    }

    @Test
    void urgentTasksAreTasksLikeOthers() {
        time.scheduleUrgent(Duration.ofSeconds(1), () -> happened.add("urgent"));
        time.scheduleUrgent(Duration.ofSeconds(1), () -> happened.add("cancelled"))
                .cancel();

        time.advance(Duration.ofSeconds(1));

        assertThat(happened).containsExactly("urgent");
    }

    @Test
    void tasksRunWhileAThreadSleeps() {
        schedule(5, "task");

        sleep(Duration.ofSeconds(10));

        assertThat(happened).containsExactly("task at PT5S");
    }

    @Test
    void aTaskBeyondAllTimeWaitsUntilItsEnd() {
        time.advance(Duration.ofSeconds(1));
        time.schedule(CENTURIES, () -> happened.add("at the end of time"));

        time.advance(Duration.ofDays(365));
        assertThat(happened).isEmpty();
        time.advance(CENTURIES);
        assertThat(happened).containsExactly("at the end of time");
    }

    @Test
    void aTaskThatIsCancelledNeverRuns() {
        Scheduled cancelled = schedule(1, "cancelled");
        schedule(1, "kept");

        cancelled.cancel();
        cancelled.cancel();
        time.advance(Duration.ofSeconds(5));

        assertThat(happened).containsExactly("kept at PT1S");
    }

    @Test
    void aTaskIsNotHurtByALateCancellation() {
        Scheduled task = schedule(1, "task");
        time.advance(Duration.ofSeconds(1));

        task.cancel();

        assertThat(happened).containsExactly("task at PT1S");
    }

    private Scheduled schedule(int seconds, String name) {
        return time.schedule(Duration.ofSeconds(seconds), () -> happened.add(name + " at " + time.elapsed()));
    }

    private void sleep(Duration duration) {
        try {
            time.sleep(duration);
        } catch (InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }
}
