package dev.resilience.spring.web;

import dev.resilience.event.Outcome;

/** What became of the deadline that a request brought. */
public enum DeadlineOutcome implements Outcome {
    /** It holds for the request. */
    ACCEPTED,
    /** It was no deadline: the request has none. */
    IGNORED
}
