package dev.resilience.pipeline;

import dev.resilience.context.CallContext;
import dev.resilience.log.LogLine;
import dev.resilience.pipeline.AsyncStep.Next;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/**
 * What an asynchronous call waits for. One thread {@linkplain #claim takes} the call from it when the wait ends, and then has
 * the call.
 */
public abstract class AsyncWait {

    private static final LogLine CANCELLATION_FAILED = LogLine.warn("cancellation_failed");
    private static final int MAX_REMEMBERED = 1_000;
    private static final Set<String> reported = ConcurrentHashMap.newKeySet();

    protected final AsyncCall call;

    private @Nullable Thread starter;
    private @Nullable Next ended; // the starter's

    protected AsyncWait(AsyncCall call) {
        this.call = call;
    }

    /** Begins the wait, which may end at once. */
    protected abstract void start() throws Throwable;

    /** Ends the wait before its time; {@code false} if another thread has the call. */
    final boolean stop() {
        boolean isMine = withdraw();
        if (isMine) {
            CallContext.NONE.run(this::stopped); // a stage that is cancelled calls code of others
        }
        return isMine;
    }

    /** Takes the call back for this thread before the wait has ended; {@code false} if another one has it. */
    protected boolean withdraw() {
        return claim();
    }

    /** The wait was stopped by this thread, which has the call: what was waited for is not needed any more. */
    protected abstract void stopped();

    /** How the call, which has failed, goes on when this was stopped. */
    protected Next whenStopped() {
        return call.whenEnded();
    }

    /** As {@link #start}: how the call goes on if this thread has it again. */
    final Next begin() throws Throwable {
        starter = Thread.currentThread();
        try {
            start();
        } catch (Throwable notBegun) {
            if (claim()) {
                throw notBegun;
            }
        }
        starter = null;
        return ended == null ? Next.LATER : ended;
    }

    /** Takes the call for this thread; {@code false} if another one has it. */
    protected final boolean claim() {
        return AsyncCall.STATE.compareAndSet(call, this, null);
    }

    protected final boolean isWaiting() {
        return call.state == this;
    }

    /** Goes on with the call, which this thread has, with what was bound to the caller's. */
    protected final void resume(Next next) {
        if (!leaveToStarter(next) && next != Next.LATER) {
            call.resume(next);
        }
    }

    /** If this thread is still about to begin the wait, notes how the call goes on from there; {@code false} if it is not. */
    final boolean leaveToStarter(Next next) {
        boolean isStarter = starter == Thread.currentThread();
        if (isStarter) {
            ended = next;
        }
        return isStarter;
    }

    /** The call, which this thread has, fails. */
    protected final void fail(Throwable failure) {
        call.end(null, failure);
        resume(call.whenEnded());
    }

    /**
     * Reports, once for each class, a source of results that throws when it is cancelled, in place of letting go of the call:
     * that goes on.
     */
    public static void cancellationFailed(Object source, Throwable thrown) {
        String type = source.getClass().getName();
        if (reported.size() < MAX_REMEMBERED && reported.add(type)) {
            CANCELLATION_FAILED
                    .in(LoggerFactory.getLogger(AsyncCall.class))
                    .setCause(thrown)
                    .log("A {} could not be cancelled. Logged once.", type);
        }
    }

    /** Waits for the end of a stage, which is cancelled if the call is. */
    static final class StageWait extends AsyncWait
            implements BiFunction<@Nullable Object, @Nullable Throwable, @Nullable Object> {

        private final CompletionStage<?> stage;

        StageWait(AsyncCall call, CompletionStage<?> stage) {
            super(call);
            this.stage = stage;
        }

        /** Not by {@code whenComplete}, which would make an exception for a stage that nothing reads. */
        @Override
        @SuppressWarnings("FutureReturnValueIgnored") // not the action is waited for, only what it completes
        protected void start() {
            stage.handle(this);
        }

        @Override
        public @Nullable Object apply(@Nullable Object result, @Nullable Throwable failure) {
            if (claim()) {
                if (failure != null) {
                    fail(AsyncCall.unwrap(failure));
                } else {
                    succeed(result);
                }
            }
            return null;
        }

        /** The usual end, for which nothing of the caller's thread is put in place. */
        private void succeed(@Nullable Object result) {
            call.end(result, null);
            Next next = call.whenEnded();
            if (!leaveToStarter(next)) {
                call.drive(next);
                call.deliver();
            }
        }

        @Override
        protected void stopped() {
            try {
                stage.toCompletableFuture().cancel(true);
            } catch (UnsupportedOperationException cannotBeCancelled) {
                // the stage's own choice: its result is ignored
            } catch (Throwable broken) { // the same for a stage that would rather throw, a checked one too
                cancellationFailed(stage, broken);
            }
        }
    }

    /** Waits for a thread of an executor. */
    static final class ThreadWait extends AsyncWait implements Runnable {

        private final Executor threads;
        private final Next next;

        ThreadWait(AsyncCall call, Executor threads, Next next) {
            super(call);
            this.threads = threads;
            this.next = next;
        }

        @Override
        protected void start() {
            threads.execute(this);
        }

        /** Also where that is the thread that began the wait: calls that come one after the other do not come inside each other. */
        @Override
        public void run() {
            if (claim()) {
                call.resume(next);
            }
        }

        @Override
        protected void stopped() {
            if (threads instanceof ThreadPoolExecutor pool) {
                pool.remove(this);
            }
        }
    }
}
