package dev.resilience.bulkhead;

import static dev.resilience.bulkhead.TestBulkhead.soon;
import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.TestBulkhead.Call;
import dev.resilience.bulkhead.TestBulkhead.Caller;
import dev.resilience.context.ContextCarrier;
import dev.resilience.event.BulkheadOutcome;
import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.EventPublisher;
import dev.resilience.fault.FaultClassification;
import dev.resilience.pipeline.Environment;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@ParameterizedClass
@EnumSource(Caller.class)
class BulkheadEventsTests {

    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final Duration WAITED = Duration.ofSeconds(7);

    private final Caller caller;
    private final TestBulkhead calls;

    BulkheadEventsTests(Caller caller) {
        this.caller = caller;
        this.calls = new TestBulkhead(caller.type, 1, 1);
    }

    private static CallQueued queued(BulkheadOutcome outcome, Duration waited) {
        return new CallQueued(START.plus(waited), "orders", outcome, waited);
    }

    private static CallRejected rejected(String reason, Duration after) {
        return new CallRejected(START.plus(after), "bulkhead", "orders", reason);
    }

    @Test
    void tellNothingOfACallThatFindsAPlace() {
        calls.start(caller).end();

        assertThat(calls.events).isEmpty();
    }

    @Test
    void tellHowLongACallWaitedForItsPlace() {
        Call running = calls.start(Caller.ASYNCHRONOUS);
        Call waiting = calls.start(caller);
        calls.time.advance(WAITED);

        running.end();
        waiting.assertRunsSoon();

        assertThat(calls.events).containsExactly(queued(BulkheadOutcome.ACCEPTED, WAITED));
    }

    @Test
    void tellOfACallThatWaitedInVain() {
        calls.start(Caller.ASYNCHRONOUS);
        Call waiting = calls.start(caller);

        calls.time.advance(TestBulkhead.QUEUE_TIMEOUT);
        waiting.refusal();

        assertThat(calls.events)
                .containsExactly(
                        queued(BulkheadOutcome.TIMED_OUT, TestBulkhead.QUEUE_TIMEOUT),
                        rejected("timed_out", TestBulkhead.QUEUE_TIMEOUT));
    }

    @Test
    void tellOfACallThatDidNotGetIntoTheLine() {
        calls.start(Caller.ASYNCHRONOUS);
        calls.start(caller);

        calls.start(caller).refusal();

        assertThat(calls.events).containsExactly(rejected("rejected", Duration.ZERO));
    }

    @Test
    void tellOfACallThatGaveUp() {
        calls.start(Caller.ASYNCHRONOUS);
        Call waiting = calls.start(caller);
        calls.time.advance(WAITED);

        if (caller.isBlocking()) {
            waiting.thread().interrupt();
        } else {
            waiting.answer().cancel(true);
        }
        soon(waiting.answer()::isDone);

        assertThat(calls.events).contains(queued(BulkheadOutcome.REJECTED, WAITED));
    }

    @Nested
    class AreHeardByAListener {

        private final EventPublisher events = new EventPublisher();
        private final Bulkhead bulkhead = new Bulkhead(
                "orders",
                BulkheadPolicy.builder().maxConcurrent(1).build(),
                new Environment(calls.time, events, FaultClassification.ofJdk(), ContextCarrier.standard()));

        private void assertAPlaceIsNotLostWhenAListenerThrows(Throwable thrown) {
            events.add(event -> {
                if (thrown instanceof Error error) {
                    throw error;
                }
                throw (RuntimeException) thrown;
            });
            Call running = calls.start(bulkhead, Caller.ASYNCHRONOUS);
            Call waiting = calls.start(bulkhead, caller);

            running.end();
            soon(() -> waiting.isRunning() || waiting.answer().isDone());
            waiting.body().complete("ok");

            soon(() -> bulkhead.running() == 0);
            assertThat(waiting.answer()).succeedsWithin(Duration.ofSeconds(1));
        }

        @Test
        void thatThrowsAnExceptionAndCostsNoPlace() {
            assertAPlaceIsNotLostWhenAListenerThrows(new IllegalStateException("broken listener"));
        }

        @Test
        void thatThrowsAnErrorAndCostsNoPlace() {
            assertAPlaceIsNotLostWhenAListenerThrows(new AssertionError("broken listener"));
        }
    }
}
