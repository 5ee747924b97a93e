package dev.resilience.messaging;

import dev.resilience.annotation.Retryable;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

/** A backend that is down for one order, and counts its calls. */
class FailingBackend {

    static final String FAILING = "failing";

    /** Three attempts without waits, of everything that this backend fails with. */
    static final List<String> THREE_ATTEMPTS = List.of(
            "resilience.retry.default.max-attempts=3",
            "resilience.retry.default.backoff.base-delay=1ms",
            "resilience.retry.default.retry-on=java.lang.IllegalStateException");

    private final AtomicInteger calls = new AtomicInteger();

    /** How often it was called for the order. */
    public int calls() {
        return calls.get();
    }

    public void call(String order) {
        if (order.equals(FAILING)) {
            calls.incrementAndGet();
            throw new IllegalStateException("is down");
        }
    }

    /** A method of another bean than the listener. */
    static class Retried extends FailingBackend {

        @Override
        @Retryable
        public void call(String order) {
            super.call(order);
        }
    }
}
