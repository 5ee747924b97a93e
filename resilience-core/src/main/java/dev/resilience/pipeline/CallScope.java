package dev.resilience.pipeline;

import dev.resilience.context.CallContext;
import dev.resilience.context.ContextCarrier;
import dev.resilience.log.LogLine;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What every thread that goes on with an asynchronous call has meanwhile: the call's context and, for code of the
 * application, what was bound to the caller's thread. A thread also remembers what it had before, for what is not part of
 * the call.
 */
final class CallScope {

    private static final Logger log = LoggerFactory.getLogger(CallScope.class);
    private static final LogLine TRANSFER_FAILED = LogLine.warn("context_transfer_failed");

    /** What was current before the thread went on with a call; {@code null} while it does not. */
    private static final ThreadLocal<@Nullable Outside> OUTSIDE = new ThreadLocal<>();

    private CallScope() {}

    /** Runs an action in the call's context. */
    static void enter(CallContext context, Runnable action) {
        boolean entered = OUTSIDE.get() == null;
        if (entered) {
            OUTSIDE.set(new Outside(CallContext.current(), null));
        }
        try {
            context.run(action);
        } finally {
            if (entered) {
                OUTSIDE.set(null);
            }
        }
    }

    /** Runs code of the application with what was bound to the caller's thread, and never without. */
    static void inSurroundings(@Nullable CallOrigin origin, Runnable action) {
        if (origin == null || origin.isInPlace()) {
            action.run();
        } else {
            leaving(origin, action);
        }
    }

    /** As {@link #inSurroundings}, or without them if they cannot be put in place. */
    static void inSurroundingsIfPossible(@Nullable CallOrigin origin, Runnable action) {
        inAnyCase(begins -> inSurroundings(origin, begins), action);
    }

    /** See {@link LinkedFuture#takingAlong}. */
    static Runnable takingAlong(
            @Nullable CallOrigin origin, ContextCarrier carrier, @Nullable Executor executor, Runnable body) {
        if (origin == null) {
            return carrier.wrap(body);
        }
        Runnable wrapped = origin.takesAlongBy(carrier) ? body : carrier.wrap(body);
        CallOrigin there = origin.on(executor);
        return () -> leaving(there, wrapped);
    }

    /** Runs what is not part of the call that the current thread works for: with what the thread had before. */
    static void outside(Runnable action) {
        Outside outside = OUTSIDE.get();
        if (outside == null) {
            action.run();
            return;
        }
        OUTSIDE.set(null);
        try {
            outside.run(action);
        } finally {
            OUTSIDE.set(outside);
        }
    }

    /** Remembers what the thread has now. */
    private static void leaving(CallOrigin origin, Runnable action) {
        Outside before = OUTSIDE.get();
        if (before != null && before.surroundings == null) {
            OUTSIDE.set(new Outside(before.context, origin.here()));
        }
        try {
            origin.run(action);
        } finally {
            OUTSIDE.set(before);
        }
    }

    /** Runs an action as it should be run, or as it is if something keeps it from that. */
    private static void inAnyCase(Consumer<Runnable> how, Runnable action) {
        boolean[] begun = new boolean[1];
        try {
            how.accept(() -> {
                begun[0] = true;
                action.run();
            });
        } catch (Throwable broken) {
            if (begun[0]) {
                throw broken;
            }
            TRANSFER_FAILED
                    .in(log)
                    .setCause(broken)
                    .log("What belongs to a thread could not be put in place on another one");
            action.run();
        }
    }

    /**
     * What a thread had before it went on with a call.
     *
     * @param surroundings {@code null} if they are still in place
     */
    private record Outside(CallContext context, @Nullable CallOrigin surroundings) {

        void run(Runnable action) {
            if (surroundings == null) {
                context.run(action);
            } else {
                inAnyCase(surroundings::run, () -> context.run(action));
            }
        }
    }
}
