package dev.resilience.time;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.concurrency.StubTime;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class DelayedTasksTests {

    private static final Duration SECOND = Duration.ofSeconds(1);

    private final ManualTimeSource manual = new ManualTimeSource();
    private final List<String> happened = new ArrayList<>();
    private final DelayedTasks tasks = tasks(manual);

    @Test
    void eachTaskGoesOnAtItsTimeAndThoseOfOneTimeInTheirOrder() {
        tasks.add(new Task("third"), Duration.ofSeconds(2));
        tasks.add(new Task("first"), SECOND);
        tasks.add(new Task("second"), SECOND);
        tasks.add(new Task("at once"), Duration.ZERO);

        manual.advance(Duration.ofSeconds(3));

        assertThat(happened).containsExactly("at once PT0S", "first PT1S", "second PT1S", "third PT2S");
    }

    @Test
    void aTaskThatIsRemovedDoesNotGoOn() {
        Task removed = new Task("removed");
        Task early = new Task("removed before");
        tasks.add(removed, SECOND);
        tasks.add(new Task("other"), SECOND);

        assertThat(tasks.remove(removed)).isTrue();
        assertThat(tasks.remove(removed)).isFalse();
        assertThat(tasks.remove(early)).isTrue();
        tasks.add(early, SECOND);
        manual.advance(SECOND);

        assertThat(happened).containsExactly("other PT1S");
    }

    @Test
    void aTaskCanWaitAgainOnceItIsRenewed() {
        Task task = new Task("task");
        tasks.add(task, SECOND);
        manual.advance(SECOND);

        tasks.renew(task);
        tasks.add(task, SECOND);
        manual.advance(SECOND);

        assertThat(happened).containsExactly("task PT1S", "task PT2S");
    }

    @Test
    void whereNoTaskWaitsNoTimerIsLeft() {
        StubTime time = new StubTime();
        DelayedTasks few = tasks(time);
        Task task = new Task("task");
        few.add(task, SECOND);
        assertThat(time.hasTimer()).isTrue();

        few.remove(task);

        assertThat(time.hasTimer()).isFalse();
    }

    @Test
    void allTasksComeOutInTheOrderOfTheirTimes() {
        Task later = new Task("later");
        Task sooner = new Task("sooner");
        tasks.add(later, Duration.ofSeconds(2));
        tasks.add(sooner, SECOND);

        assertThat(tasks.removeAll()).containsExactly(sooner, later);
        manual.advance(Duration.ofSeconds(2));

        assertThat(happened).isEmpty();
    }

    @Test
    void aTaskGoesOnWithItsTimerThoughTheClockDoesNotMove() {
        StubTime time = new StubTime();
        DelayedTasks waiting = tasks(time);
        waiting.add(new Task("task"), SECOND);

        time.timerGoesOff();

        assertThat(happened).containsExactly("task PT0S");
    }

    @Test
    void aTaskForWhichNoTimerCanBeSetDoesNotWait() {
        Breaking time = new Breaking();
        DelayedTasks waiting = tasks(time);
        time.broken = true;
        Task task = new Task("task");

        assertThatThrownBy(() -> waiting.add(task, SECOND)).isInstanceOf(OutOfMemoryError.class);

        assertThat(waiting.remove(task)).isFalse();
    }

    @Test
    void whatWaitsGoesOnTooEarlyWhereNoFurtherTimerCanBeSet() {
        Breaking time = new Breaking();
        DelayedTasks waiting = tasks(time);
        waiting.add(new Task("first"), SECOND);
        waiting.add(new Task("second"), Duration.ofHours(1));
        time.broken = true;

        time.timerGoesOff();

        assertThat(happened).containsExactly("first PT0S", "second PT0S");
    }

    @Test
    void aTaskThatCannotGoOnDoesNotKeepTheOthersFromIt() {
        DelayedTasks waiting = new DelayedTasks(manual, manual::schedule, task -> {
            task.onDue();
            throw new IllegalStateException("no thread");
        });
        waiting.add(new Task("first"), SECOND);
        waiting.add(new Task("second"), SECOND);

        assertThatThrownBy(() -> manual.advance(SECOND)).hasMessage("no thread");

        assertThat(happened).containsExactly("first PT1S", "second PT1S");
    }

    @Test
    void manyTasksOfWhichSomeAreRemovedGoOnInTheirOrder() {
        Random random = new Random(17);
        List<Task> all = new ArrayList<>();
        for (int i = 0; i < 2_000; i++) {
            Task task = new Task("task");
            task.millis = 1 + random.nextInt(500);
            tasks.add(task, Duration.ofMillis(task.millis));
            all.add(task);
            if (random.nextInt(3) == 0) {
                tasks.remove(all.remove(random.nextInt(all.size())));
            }
        }

        manual.advance(SECOND);

        List<String> expected = all.stream()
                .sorted(Comparator.comparingInt(task -> task.millis))
                .map(task -> "task " + Duration.ofMillis(task.millis))
                .toList();
        assertThat(happened).isEqualTo(expected);
    }

    @Test
    void withAClockThatIsSetBackATaskIsLateByAsMuchAtTheMostAndComesOnce() {
        Measured time = new Measured();
        DelayedTasks waiting = tasks(time);
        waiting.add(new Task("first"), SECOND);
        waiting.add(new Task("second"), SECOND.multipliedBy(2));
        time.advance(SECOND.minusHours(1).toNanos());

        time.timerGoesOff();
        assertThat(happened).containsExactly("first PT0S");
        assertThat(time.delay).isEqualTo(SECOND.plusHours(1));
        time.timerGoesOff();
        time.timerGoesOff();

        assertThat(happened).containsExactly("first PT0S", "second PT0S");
        assertThat(time.hasTimer()).isFalse();
    }

    @Test
    void withAClockThatJumpsAheadTasksComeWithTheNextTimer() {
        Measured time = new Measured();
        DelayedTasks waiting = tasks(time);
        waiting.add(new Task("first"), SECOND);
        waiting.add(new Task("second"), Duration.ofMinutes(1));
        time.advance(Duration.ofHours(1).toNanos());
        waiting.add(new Task("third"), SECOND);

        assertThat(time.delay).isEqualTo(SECOND);
        time.timerGoesOff();

        assertThat(happened).containsExactly("first PT0S", "second PT0S");
        assertThat(time.hasTimer()).isTrue();
    }

    private static DelayedTasks tasks(TimeSource time) {
        return new DelayedTasks(time, time::schedule, DelayedTask::onDue);
    }

    private final class Task extends DelayedTask {

        private final String name;
        private int millis;

        Task(String name) {
            this.name = name;
        }

        @Override
        public void onDue() {
            happened.add(name + " " + manual.elapsed());
        }
    }

    private static final class Measured extends StubTime {

        private Duration delay = Duration.ZERO;

        @Override
        public Scheduled schedule(Duration wait, Runnable task) {
            delay = wait;
            return super.schedule(wait, task);
        }
    }

    private static final class Breaking extends StubTime {

        private boolean broken;

        @Override
        public Scheduled schedule(Duration delay, Runnable task) {
            if (broken) {
                throw new OutOfMemoryError("no thread");
            }
            return super.schedule(delay, task);
        }
    }
}
