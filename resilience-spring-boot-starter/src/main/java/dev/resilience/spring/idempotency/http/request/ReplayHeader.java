package dev.resilience.spring.idempotency.http.request;

import dev.resilience.pipeline.Invocation;

/**
 * Sets {@code Idempotency-Replayed} in the HTTP response to a call that gets an earlier one's result. The request is that of
 * the thread that asks; the header may be set on another thread.
 */
public final class ReplayHeader {

    static final String NAME = "Idempotency-Replayed";

    private ReplayHeader() {}

    /** To be run when the call turns out to be a repetition. */
    public static Runnable of(Invocation call) {
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
