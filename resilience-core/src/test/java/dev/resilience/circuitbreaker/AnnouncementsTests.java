package dev.resilience.circuitbreaker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.circuitbreaker.Transitions.Announcements;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.internal.EventPublisher;
import dev.resilience.fault.CompositeFaultClassifier;
import dev.resilience.time.ManualTimeSource;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class AnnouncementsTests {

    private final EventPublisher events = new EventPublisher();
    private final List<CircuitState> heard = new ArrayList<>();
    private final CircuitBreaker breaker = new CircuitBreaker(
            "payments",
            CircuitBreakerPolicy.defaults(),
            CompositeFaultClassifier.ofJdk(),
            new ManualTimeSource(),
            events);

    @Test
    void aTransitionThatFollowsAtOnceIsToldOfAfterTheOneBefore() {
        events.add(event -> {
            if (event instanceof CircuitStateChanged changed && changed.to() == CircuitState.OPEN) {
                breaker.halfOpen();
            }
        });
        events.add(event -> heard.add(((CircuitStateChanged) event).to()));

        breaker.open();
        breaker.close();

        assertThat(heard).containsExactly(CircuitState.OPEN, CircuitState.HALF_OPEN, CircuitState.CLOSED);
    }

    @Test
    void aTransitionThatIsFasterThanTheOneBeforeIsToldOfAfterIt() {
        List<Long> told = new ArrayList<>();
        Announcements announcements = new Announcements(transition -> told.add(transition.number()));

        announcements.add(transition(2));
        announcements.add(transition(3));
        assertThat(told).isEmpty();
        announcements.add(transition(1));

        assertThat(told).containsExactly(1L, 2L, 3L);
    }

    @Test
    void aTransitionThatNeverComesHoldsUpTheOthersForSomeTimeOnly() {
        List<Long> told = new ArrayList<>();
        Announcements announcements = new Announcements(transition -> told.add(transition.number()));

        for (long number = 2; number <= 102; number++) {
            announcements.add(transition(number));
        }

        assertThat(told).hasSize(101).startsWith(2L).endsWith(102L);
    }

    @Test
    void aTransitionThatComesAfterAllIsToldOfLateAndOnce() {
        List<Long> told = new ArrayList<>();
        Announcements announcements = new Announcements(transition -> told.add(transition.number()));
        for (long number = 2; number <= 102; number++) {
            announcements.add(transition(number));
        }

        announcements.add(transition(1));
        announcements.add(transition(103));

        assertThat(told).hasSize(103).doesNotHaveDuplicates().endsWith(102L, 1L, 103L);
    }

    private Transition transition(long number) {
        State state = breaker.state();
        State after = new DisabledState(breaker, state.settings, null, breaker.now());
        after.announcements = number;
        return new Transition(state, after, true);
    }
}
