package dev.resilience.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;

import ch.qos.logback.classic.Level;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class EventPublisherTests {

    private static final ResilienceEvent EVENT =
            new CallRejected(Instant.EPOCH, "circuit-breaker", "orders", "rejected");

    private final EventPublisher events = new EventPublisher();
    private final List<ResilienceEvent> heard = new ArrayList<>();

    @Test
    void noEventIsMadeWhileNobodyListens() {
        assertThat(events.hasListeners()).isFalse();

        events.publish(() -> {
            throw new AssertionError("made for nobody");
        });
    }

    @Test
    void everyListenerHearsEveryEventOnce() {
        List<ResilienceEvent> heardToo = new ArrayList<>();
        events.add(heard::add);
        events.add(heardToo::add);

        events.publish(() -> EVENT);

        assertThat(events.hasListeners()).isTrue();
        assertThat(heard).containsExactly(EVENT);
        assertThat(heardToo).containsExactly(EVENT);
    }

    /** What a listener calls does not inherit the deadline of the call that it listens to. */
    @Test
    void aListenerIsNotPartOfTheCall() throws Exception {
        List<CallContext> contexts = new ArrayList<>();
        events.add(event -> contexts.add(CallContext.current()));
        Deadline deadline = Deadline.in(Duration.ofHours(1));

        Deadline after = deadline.call(() -> {
            events.publish(() -> EVENT);
            return Deadline.current();
        });

        assertThat(contexts).containsExactly(CallContext.NONE);
        assertThat(after).isSameAs(deadline);
    }

    @Test
    void oneEventIsMadeForAll() {
        List<ResilienceEvent> made = new ArrayList<>();
        events.add(heard::add);
        events.add(heard::add);

        events.publish(() -> {
            made.add(EVENT);
            return EVENT;
        });

        assertThat(made).hasSize(1);
        assertThat(heard).hasSize(2);
    }

    @Test
    void aListenerHearsOfWhatHappensFromThenOn() {
        events.add(event -> {});
        events.publish(() -> EVENT);

        events.add(heard::add);
        assertThat(heard).isEmpty();
        events.publish(() -> EVENT);

        assertThat(heard).hasSize(1);
    }

    @Test
    void aListenerMayThrowWhatNoLogCanWrite() {
        events.add(event -> {
            throw new IllegalStateException() {
                @Override
                public String getMessage() {
                    throw new IllegalStateException("broken too");
                }
            };
        });

        assertThatNoException().isThrownBy(() -> events.publish(() -> EVENT));
    }

    @Test
    void aListenerMayAddAnother() {
        events.add(event -> events.add(heard::add));

        events.publish(() -> EVENT);
        assertThat(heard).isEmpty();
        events.publish(() -> EVENT);

        assertThat(heard).hasSize(1);
    }

    @Test
    void aListenerThatThrowsIsLoggedAndKeepsNobodyFromHearing() {
        events.add(event -> {
            throw new IllegalStateException("broken");
        });
        events.add(heard::add);
        try (CapturedLog log = CapturedLog.of(EventPublisher.class)) {
            events.publish(() -> EVENT);

            assertThat(log.single().getLevel()).isEqualTo(Level.WARN);
            assertThat(log.single().getFormattedMessage())
                    .contains(EventPublisherTests.class.getName(), "call-rejected");
            assertThat(CapturedLog.pairsOf(log.single()))
                    .containsEntry("event", "callback_failed")
                    .containsEntry("policy", "all")
                    .containsKey("callback");
            assertThat(log.single().getThrowableProxy().getMessage()).isEqualTo("broken");
        }
        assertThat(heard).containsExactly(EVENT);
    }

    @Test
    void aListenerThatAlwaysThrowsDoesNotFillTheLog() {
        events.add(event -> {
            throw new IllegalStateException("broken");
        });
        try (CapturedLog log = CapturedLog.of(EventPublisher.class)) {
            for (int event = 0; event < 1_000; event++) {
                events.publish(() -> EVENT);
            }

            assertThat(log.events()).hasSizeLessThan(100);
        }
    }

    @Test
    void aListenerThatThrowsAnErrorKeepsNobodyFromHearingEither() {
        events.add(event -> {
            throw new NoSuchMethodError("another version of the metrics library");
        });
        events.add(heard::add);
        try (CapturedLog log = CapturedLog.of(EventPublisher.class)) {
            events.publish(() -> EVENT);

            assertThat(log.events()).hasSize(1);
        }
        assertThat(heard).containsExactly(EVENT);
    }

    @Test
    void aListenerDoesNotHearOfWhatItCausesItself() {
        events.add(event -> {
            heard.add(event);
            events.publish(() -> EVENT);
        });

        events.publish(() -> EVENT);
        events.publish(() -> EVENT);

        assertThat(heard).hasSize(2);
    }

    @Test
    void othersHearOfWhatAListenerCausesAndTwoDoNotCauseEachOtherForEver() {
        List<ResilienceEvent> heardByOther = new ArrayList<>();
        events.add(event -> {
            heard.add(event);
            events.publish(() -> EVENT);
        });
        events.add(event -> {
            heardByOther.add(event);
            events.publish(() -> EVENT);
        });

        events.publish(() -> EVENT);

        assertThat(heard).hasSize(2);
        assertThat(heardByOther).hasSize(2);
    }

    @Test
    void aListenerThatThrowsHearsOfTheNextEvent() {
        events.add(event -> {
            heard.add(event);
            throw new IllegalStateException();
        });

        events.publish(() -> EVENT);
        events.publish(() -> EVENT);

        assertThat(heard).hasSize(2);
    }
}
