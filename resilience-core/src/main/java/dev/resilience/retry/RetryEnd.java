package dev.resilience.retry;

import dev.resilience.event.RetryOutcome;

/** How a call ended, and why it was not tried again, in words where the outcome does not say it all. */
enum RetryEnd {
    SUCCESS(RetryOutcome.SUCCESS, ""),
    SUCCESS_AFTER_RETRY(RetryOutcome.SUCCESS_AFTER_RETRY, ""),
    NOT_RETRYABLE(RetryOutcome.NOT_RETRYABLE, ""),
    INTERRUPTED(RetryOutcome.INTERRUPTED, ""),
    STOPPED(RetryOutcome.INTERRUPTED, "the application ends"),
    NO_ATTEMPTS_LEFT(RetryOutcome.EXHAUSTED, "no attempts are left"),
    BUDGET_EXHAUSTED(RetryOutcome.BUDGET_EXHAUSTED, "the retry budget is exhausted"),
    DEADLINE_OVER(RetryOutcome.OUT_OF_TIME, "the deadline is over"),
    HINT_TOO_LONG(RetryOutcome.OUT_OF_TIME, "the server asks to wait longer than max-retry-after"),
    AFTER_MAX_DURATION(RetryOutcome.OUT_OF_TIME, "the next one would begin after max-duration"),
    AFTER_DEADLINE(RetryOutcome.OUT_OF_TIME, "the next one would begin after the deadline");

    final RetryOutcome outcome;
    final String why;

    RetryEnd(RetryOutcome outcome, String why) {
        this.outcome = outcome;
        this.why = why;
    }
}
