package dev.resilience.spring.idempotency.http;

import java.util.function.Supplier;

/**
 * Sets {@code Idempotency-Replayed} in the HTTP response to a call that gets an earlier one's result. The request is that of
 * the thread that asks; the header may be set on another thread.
 */
public final class ReplayHeader implements Supplier<Runnable> {

    static final String NAME = "Idempotency-Replayed";

    @Override
    public Runnable get() {
        LiveRequest request = LiveRequest.current();
        if (request == null) {
            return () -> {};
        }
        return () -> request.whileLive(() -> {
            request.response().setHeader(NAME, "true");
            return null;
        });
    }
}
