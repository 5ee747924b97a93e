package dev.resilience.retry;

import dev.resilience.log.LogLine;

/** A rule of the application that threw, and what the call does without it. */
@SuppressWarnings("ImmutableEnumChecker") // a line is a record of values
enum BrokenRule {
    RESULT(LogLine.warn("retry_on_result_failed"), "retry-on-result", "the call's own result is returned"),
    FAILURE(LogLine.warn("retry_if_failed"), "retry-if", "the failure is not retried"),
    BACKOFF(LogLine.warn("retry_backoff_function_failed"), "backoff.function", "the policy's own backoff is used");

    final LogLine line;
    final String key;
    final String consequence;

    BrokenRule(LogLine line, String key, String consequence) {
        this.line = line;
        this.key = key;
        this.consequence = consequence;
    }
}
