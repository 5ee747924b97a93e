package dev.resilience.sample.shop;

import static java.util.stream.Collectors.joining;

import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * What happened to the order of one request, made of the events that its call caused. Kept as an attribute of the
 * request, so it ends with it and no other request sees it. Used by the request's thread alone.
 */
public final class Story {

    private static final String ATTRIBUTE = Story.class.getName();

    private final List<ResilienceEvent> events = new ArrayList<>();
    private @Nullable Throwable failure;

    /** Begins it if it has not begun yet. */
    public static Story ofThisRequest() {
        RequestAttributes request = RequestContextHolder.currentRequestAttributes();
        if (request.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST) instanceof Story begun) {
            return begun;
        }
        Story story = new Story();
        request.setAttribute(ATTRIBUTE, story, RequestAttributes.SCOPE_REQUEST);
        return story;
    }

    void add(ResilienceEvent event) {
        events.add(event);
    }

    /** How the last attempt failed. */
    void endedWith(Throwable lastFailure) {
        failure = lastFailure;
    }

    /**
     * In sentences, in the order of the events.
     *
     * @param retryAfter the seconds after which a refused order may come again, if the answer says so
     */
    public List<String> inWords(@Nullable String retryAfter) {
        String again = retryAfter == null ? "" : ": try again in " + retryAfter + " s";
        List<String> sentences = new ArrayList<>();
        if (failure != null && all(RetryFinished.class).noneMatch(Story::wasRetried)) {
            sentences.add("1 attempt: " + GatewayFailure.inWords(failure) + ", not tried again");
        }
        for (ResilienceEvent event : events) {
            String sentence = sentence(event, again);
            if (sentence != null) {
                sentences.add(sentence);
            }
        }
        return sentences;
    }

    private @Nullable String sentence(ResilienceEvent event, String again) {
        if (event instanceof CallQueued queued) {
            return "waited " + seconds(queued.waited()) + " in the bulkhead's queue";
        }
        if (event instanceof RetryFinished finished) {
            return wasRetried(finished) ? attempts(finished) : null; // the first sentence tells of a single attempt
        }
        if (event instanceof CircuitStateChanged change) {
            return transition(change);
        }
        if (event instanceof CallRejected rejected) {
            return "refused by the " + rejected.kind().replace('-', ' ') + again;
        }
        return event instanceof IdempotencyDecided decided ? idempotency(decided.outcome(), again) : null;
    }

    private static boolean wasRetried(RetryFinished finished) {
        return finished.attempts() > 1;
    }

    /** Such as "3 attempts: 503, 503, then paid, after waiting 0.12 s and 0.31 s". */
    private String attempts(RetryFinished finished) {
        String failures = all(RetryScheduled.class)
                .map(RetryScheduled::failure)
                .filter(Objects::nonNull)
                .map(Objects::requireNonNull)
                .map(GatewayFailure::inWords)
                .collect(joining(", "));
        String waits = all(RetryScheduled.class)
                .map(RetryScheduled::delay)
                .map(Story::seconds)
                .collect(joining(" and "));
        return finished.attempts() + " attempts: " + failures + end(finished.outcome()) + ", after waiting " + waits;
    }

    private String end(RetryOutcome outcome) {
        if (outcome == RetryOutcome.SUCCESS_AFTER_RETRY) {
            return ", then paid";
        }
        return (failure == null ? "" : ", " + GatewayFailure.inWords(failure)) + ", then given up";
    }

    private static String transition(CircuitStateChanged change) {
        return switch (change.to()) {
            case OPEN, FORCED_OPEN ->
                change.from() == CircuitState.HALF_OPEN
                        ? "the probe failed: the circuit breaker stays open"
                        : "the circuit breaker opened";
            case HALF_OPEN -> "let through as a probe";
            case CLOSED, DISABLED, METRICS_ONLY -> "the circuit breaker closed";
        };
    }

    private @Nullable String idempotency(IdempotencyOutcome outcome, String again) {
        return switch (outcome) {
            case EXECUTED -> all(RetryScheduled.class).findAny().isEmpty() ? "paid at the first attempt" : null;
            case REPLAYED -> "answered from the store, nothing charged";
            case IN_PROGRESS -> "refused: an order with this key is on its way" + again;
            case KEY_REUSED -> "refused: this key belongs to another order";
            case TAKEN_OVER -> "finished what a crashed call had begun";
            case LEASE_LOST -> "another call took the key over" + again;
            case OUTCOME_UNKNOWN -> "refused: how the first call with this key ended is not known";
            case STORE_FAILURE -> "the store of the keys does not answer";
            default -> null; // a released key: it may be sent again, which is what customers expect
        };
    }

    private <E extends ResilienceEvent> Stream<E> all(Class<E> type) {
        return events.stream().filter(type::isInstance).map(type::cast);
    }

    private static String seconds(Duration duration) {
        return String.format(Locale.ROOT, "%.2f s", duration.toMillis() / 1000.0);
    }
}
