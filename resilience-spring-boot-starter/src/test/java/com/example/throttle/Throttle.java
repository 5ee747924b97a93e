package com.example.throttle;

import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Step;
import dev.resilience.time.TimeSource;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.LongAdder;

/** Counts the calls of all methods that name one policy, and refuses those beyond its number. */
public final class Throttle implements LiveObject<ThrottlePolicy>, Layer {

    private final String name;
    private volatile ThrottlePolicy policy;
    private final TimeSource time;
    final LongAdder refused = new LongAdder();
    private long begin;
    private int calls;

    Throttle(String name, ThrottlePolicy policy, TimeSource time) {
        this.name = name;
        this.policy = policy;
        this.time = time;
        this.begin = time.nanoTime();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public ThrottlePolicy policy() {
        return policy;
    }

    @Override
    public void reconfigure(ThrottlePolicy changed) {
        policy = changed;
    }

    synchronized void restart() {
        calls = 0;
    }

    @Override
    public Step around(Step next) {
        return new Step() {
            @Override
            public Object call(Invocation invocation) throws Throwable {
                admit();
                return next.call(invocation);
            }

            @Override
            public CompletableFuture<Object> callAsync(Invocation invocation) {
                try {
                    admit();
                } catch (ThrottledException refusal) {
                    return CompletableFuture.failedFuture(refusal);
                }
                return next.callAsync(invocation);
            }
        };
    }

    private synchronized void admit() {
        long now = time.nanoTime();
        if (now - begin >= policy.period().toNanos()) {
            begin = now;
            calls = 0;
        }
        if (++calls > policy.maxCalls()) {
            refused.increment();
            throw new ThrottledException(name);
        }
    }

    public static final class ThrottledException extends RuntimeException {

        ThrottledException(String name) {
            super("The throttle '" + name + "' lets no more calls through");
        }
    }
}
