package dev.resilience.spring;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.ConnectException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;

/** What a protected method depends on: counts its calls, and is down for as many of them as it is told to be. */
public final class Callee {

    private final AtomicInteger calls = new AtomicInteger();
    private final AtomicInteger failures = new AtomicInteger();

    /** Fails with a transient fault while it is down. */
    public String call() throws ConnectException {
        int call = calls.incrementAndGet();
        if (failures.getAndDecrement() > 0) {
            throw new ConnectException("call " + call + " refused");
        }
        return "answer " + call;
    }

    /** As {@link #call()}, told by a future. */
    public CompletableFuture<String> callAsync() {
        try {
            return CompletableFuture.completedFuture(call());
        } catch (ConnectException failure) {
            return CompletableFuture.failedFuture(failure);
        }
    }

    public Callee failNext(int times) {
        failures.set(times);
        return this;
    }

    public int calls() {
        return calls.get();
    }

    /** How many attempts a call of a protected method makes when the callee stays down. */
    public int attemptsOf(ThrowingCallable call) {
        int before = calls();
        failNext(Integer.MAX_VALUE);
        assertThatThrownBy(call).isInstanceOf(ConnectException.class);
        failNext(0);
        return calls() - before;
    }
}
