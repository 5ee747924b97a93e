package dev.resilience.pipeline;

import dev.resilience.context.CallContext;
import dev.resilience.context.ContextCarrier;
import dev.resilience.context.ContextClassLoader;
import dev.resilience.log.LogLine;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What was bound to the thread on which an asynchronous call was made: taken along once, when the call begins, and put in
 * place wherever code of the application runs for the call on another thread: a later attempt, a call that waited in a
 * queue, a fallback. It also knows the executor on which the call runs, if that is one of the library's. Not for
 * applications, which define a {@link ContextCarrier}.
 *
 * <p>Immutable and safe for use by many threads, at once too.
 */
public class CallOrigin {

    private static final Logger log = LoggerFactory.getLogger(CallOrigin.class);
    private static final LogLine RESTORE_FAILED = LogLine.warn("context_restore_failed");

    /** The call for which the current thread works, if its surroundings are in place. */
    private static final ThreadLocal<@Nullable CallOrigin> CURRENT = new ThreadLocal<>();

    /** What a carrier is about to run on this thread; it was wrapped when nothing was known of it. */
    private static final ThreadLocal<@Nullable Task> TASK = new ThreadLocal<>();

    /** One for all, so that a carrier that has nothing to take along can share what it returns. */
    private static final Runnable RUN_TASK = CallOrigin::runTask;

    private final ContextCarrier carrier;
    private final Runnable inPlace;
    private final @Nullable ClassLoader loader;

    private CallOrigin(ContextCarrier carrier, Runnable inPlace, @Nullable ClassLoader loader) {
        this.carrier = carrier;
        this.inPlace = inPlace;
        this.loader = loader;
    }

    /** Takes along what is bound to the current thread. */
    static CallOrigin capture(ContextCarrier carrier) {
        return new CallOrigin(
                carrier, carrier.wrap(RUN_TASK), Thread.currentThread().getContextClassLoader());
    }

    /** The same for what an executor runs of the call: it goes on there after a wait. */
    CallOrigin on(@Nullable Executor runsOn) {
        return runsOn == null ? this : new OnExecutor(call(), runsOn);
    }

    /** Where the call runs, if that can be told. */
    @Nullable
    Executor executor() {
        return null;
    }

    /** That of the call, wherever it runs. */
    CallOrigin call() {
        return this;
    }

    /** That of the call for which the current thread works; {@code null} outside of asynchronous calls. */
    static @Nullable CallOrigin current() {
        return CURRENT.get();
    }

    /** Says for which call the current thread works from now on, whose surroundings are in place already. */
    static void makeCurrent(@Nullable CallOrigin origin) {
        CURRENT.set(origin);
    }

    /** Takes along, by the same carrier, what is bound to the current thread. */
    CallOrigin here() {
        return capture(carrier);
    }

    /** Whether this carrier's work is done here, and need not be done a second time. */
    boolean takesAlongBy(ContextCarrier other) {
        return carrier == other;
    }

    /** Whether the current thread has it all. */
    boolean isInPlace() {
        CallOrigin current = CURRENT.get();
        return current != null && current.call() == call();
    }

    /**
     * Runs an action with what was taken along, and puts back what the current thread had before.
     *
     * @throws RuntimeException what the action throws, or what kept it from being run: it is never run without
     */
    void run(Runnable action) {
        Task task = new Task(this, action);
        TASK.set(task);
        try {
            ContextClassLoader.with(loader, inPlace); // be there a carrier for it or not
        } catch (Throwable broken) {
            if (!task.begun || task.failure == broken) {
                throw broken;
            }
            RESTORE_FAILED
                    .in(log)
                    .setCause(broken)
                    .log("What a call took along to another thread could not be taken back");
        } finally {
            TASK.set(null); // null in place of remove(): the next call need not make the entry anew
        }
        if (!task.begun) {
            throw new IllegalStateException("A context carrier did not run the task that it had wrapped");
        }
    }

    private static void runTask() {
        Task task = TASK.get();
        if (task != null) { // a carrier may run it twice
            TASK.set(null);
            task.run();
        }
    }

    private static final class OnExecutor extends CallOrigin {

        private final CallOrigin call;
        private final Executor executor;

        OnExecutor(CallOrigin call, Executor executor) {
            super(call.carrier, call.inPlace, call.loader);
            this.call = call;
            this.executor = executor;
        }

        @Override
        Executor executor() {
            return executor;
        }

        @Override
        CallOrigin call() {
            return call;
        }
    }

    private static final class Task implements Runnable {

        private final CallOrigin origin;
        private final Runnable action;
        private final CallContext context = CallContext.current(); // later than what a carrier may bring of it
        private boolean begun;
        private @Nullable Throwable failure;

        Task(CallOrigin origin, Runnable action) {
            this.origin = origin;
            this.action = action;
        }

        @Override
        public void run() {
            begun = true;
            CallOrigin before = CURRENT.get();
            CURRENT.set(origin);
            try {
                context.run(action);
            } catch (Throwable failed) {
                failure = failed;
                throw failed;
            } finally {
                CURRENT.set(before);
            }
        }
    }
}
