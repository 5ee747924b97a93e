package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.ContextCarrier;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.EventPublisher;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import dev.resilience.time.ManualTimeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class AnnouncementsTests {

    private final EventPublisher events = new EventPublisher();
    private final List<CircuitStateChanged> heard = new ArrayList<>();
    private final CircuitBreaker breaker = new CircuitBreaker(
            "payments",
            CircuitBreakerPolicy.defaults(),
            new Environment(new ManualTimeSource(), events, FaultClassification.ofJdk(), ContextCarrier.standard()));

    @Test
    void aTransitionThatAListenerMakesIsReportedAfterTheOneThatItHeardOf() {
        events.add(event -> {
            if (event instanceof CircuitStateChanged changed && changed.to() == CircuitState.OPEN) {
                breaker.halfOpen();
            }
        });
        events.add(event -> heard.add((CircuitStateChanged) event));

        breaker.open();
        breaker.close();

        assertThat(heard)
                .extracting(CircuitStateChanged::to)
                .containsExactly(CircuitState.OPEN, CircuitState.HALF_OPEN, CircuitState.CLOSED);
    }

    @Test
    void aTransitionThatIsMadeWhileAnotherOneIsReportedIsReportedAfterItAndWaitsForNoListener() throws Exception {
        CountDownLatch reporting = new CountDownLatch(1);
        CountDownLatch made = new CountDownLatch(1);
        events.add(event -> {
            heard.add((CircuitStateChanged) event);
            reporting.countDown();
            await(made);
        });
        Thread first = new Thread(breaker::open);
        first.start();
        await(reporting);

        breaker.close();
        made.countDown();

        first.join();
        assertThat(heard).extracting(CircuitStateChanged::to).containsExactly(CircuitState.OPEN, CircuitState.CLOSED);
    }

    @Test
    void transitionsOfManyThreadsAreReportedOnceAndInTheOrderInWhichTheyWereMade() throws Exception {
        AtomicBoolean underWay = new AtomicBoolean();
        events.add(event -> {
            assertThat(underWay.compareAndSet(false, true)).isTrue();
            heard.add((CircuitStateChanged) event);
            underWay.set(false);
        });
        List<Thread> threads = new ArrayList<>();
        for (Runnable action :
                List.<Runnable>of(breaker::forceOpen, breaker::close, breaker::disable, breaker::reset)) {
            threads.add(new Thread(() -> {
                for (int i = 0; i < 2_000; i++) {
                    action.run();
                }
            }));
        }

        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }

        long counted = 0;
        for (CircuitState from : CircuitState.values()) {
            for (CircuitState to : CircuitState.values()) {
                counted += breaker.transitions(from, to);
            }
        }
        assertThat(heard).hasSize((int) counted);
        CircuitState state = CircuitState.CLOSED;
        for (CircuitStateChanged change : heard) {
            assertThat(change.from()).isEqualTo(state);
            state = change.to();
        }
        assertThat(state).isEqualTo(breaker.currentState());
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
