package dev.resilience.spring.idempotency.http;

import java.util.function.Supplier;

/** Says in the answer to the request of a call that it is an earlier one's, on the thread that finds it out. */
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
