package dev.resilience.spring.fault;

import static org.assertj.core.api.Assertions.catchThrowable;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** Interrupts calls that hang. */
final class Interrupted {

    private Interrupted() {}

    /**
     * What a call throws when its thread is interrupted.
     *
     * @param begun returns when the call has begun
     */
    static Throwable once(Condition begun, ThrowingCallable call) throws Exception {
        CompletableFuture<Throwable> end = new CompletableFuture<>();
        Thread thread = new Thread(() -> end.complete(catchThrowable(call)));
        thread.start();
        begun.await();
        thread.interrupt();
        return end.get(30, TimeUnit.SECONDS);
    }

    /** Something to wait for. */
    @FunctionalInterface
    interface Condition {

        void await() throws Exception;
    }
}
