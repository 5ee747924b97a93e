package dev.resilience.spring.idempotency.simulation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class BatonTests {

    private final Baton baton = new Baton(1);
    private final Machine machine = new Machine(baton, "machine");
    private final TimeSource time = new SimulatedTime(baton, machine);
    private final List<String> order = new ArrayList<>();

    private void start(String name, Action action) {
        baton.start(name, machine, () -> {
            try {
                action.run();
            } catch (InterruptedException interrupted) {
                order.add(name + " is interrupted");
            }
        });
    }

    @FunctionalInterface
    private interface Action {

        void run() throws InterruptedException;
    }

    @Test
    void sleepersGoOnInTheOrderOfTheirTimesAndNoRealTimePasses() {
        start("late", () -> {
            time.sleep(Duration.ofDays(2));
            order.add("late");
        });
        start("early", () -> {
            time.sleep(Duration.ofDays(1));
            order.add("early");
        });

        baton.run();

        assertThat(order).containsExactly("early", "late");
        assertThat(Duration.ofNanos(baton.now())).isGreaterThanOrEqualTo(Duration.ofDays(2));
    }

    @Test
    void onlyOneTaskRunsAtATime() {
        AtomicBoolean busy = new AtomicBoolean();
        for (int i = 0; i < 10; i++) {
            start("task", () -> {
                for (int step = 0; step < 20; step++) {
                    assertThat(busy.compareAndSet(false, true)).isTrue();
                    busy.set(false);
                    baton.handOver();
                }
            });
        }

        baton.run();

        assertThat(baton.steps()).isGreaterThan(200);
    }

    @Test
    void aParkedTaskGoesOnWhenAnotherHasUnparkedIt() {
        AtomicReference<Thread> parked = new AtomicReference<>();
        AtomicBoolean done = new AtomicBoolean();
        start("parked", () -> {
            parked.set(Thread.currentThread());
            while (!done.get()) {
                time.park(this, Duration.ofDays(1));
            }
            order.add("went on");
        });
        start("other", () -> {
            time.sleep(Duration.ofSeconds(1));
            done.set(true);
            LockSupport.unpark(parked.get());
        });

        baton.run();

        assertThat(order).containsExactly("went on");
        assertThat(Duration.ofNanos(baton.now())).isLessThan(Duration.ofDays(1));
    }

    @Test
    void aCancelledTimerDoesNotRun() {
        start("task", () -> {
            Scheduled timer = time.schedule(Duration.ofSeconds(1), () -> order.add("timer"));
            timer.cancel();
        });

        baton.run();

        assertThat(order).isEmpty();
    }

    @Test
    void aMachineThatStandsStillRunsNothingAndCatchesUpLater() {
        start("task", () -> {
            time.sleep(Duration.ofSeconds(1));
            order.add("after " + Duration.ofNanos(baton.now()).toSeconds());
        });
        baton.after(Duration.ofMillis(500), () -> machine.standStill(Duration.ofSeconds(9), false));

        baton.run();

        assertThat(order).containsExactly("after 9");
    }

    @Test
    void whatACrashedMachineWouldHaveDoneIsNotDone() {
        start("task", () -> {
            time.sleep(Duration.ofSeconds(1));
            order.add("task");
        });
        baton.after(Duration.ofMillis(500), machine::crash);

        baton.run();

        assertThat(order).isEmpty();
    }

    @Test
    void anInterruptEndsASleep() {
        AtomicReference<SimulatedTask> sleeper = new AtomicReference<>();
        start("sleeper", () -> {
            sleeper.set(baton.current());
            time.sleep(Duration.ofDays(1));
        });
        start("other", () -> {
            time.sleep(Duration.ofSeconds(1));
            sleeper.get().interrupt();
        });

        baton.run();

        assertThat(order).containsExactly("sleeper is interrupted");
    }

    @Test
    void aDeadlockFailsTheRunAndSaysWhereEachTaskStands() {
        start("first", () -> baton.await(() -> false, Long.MAX_VALUE));

        assertThatThrownBy(baton::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("Deadlock")
                .hasMessageContaining("machine first")
                .hasMessageContaining("BatonTests");
    }

    @Test
    void whatIsLeftWhenTheWorldEndsFailsTheRun() {
        baton.endsAfter(Duration.ofMinutes(1));
        start("task", () -> time.schedule(Duration.ofHours(1), () -> {}));

        assertThatThrownBy(baton::run).hasMessageContaining("left behind").hasMessageContaining("timer");
    }
}
