package dev.resilience.worker;

import dev.resilience.log.LogLine;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A run of a body on a thread that is not known yet. An interrupt that comes before the body has begun waits for it: it
 * begins interrupted. Each interrupt reaches the body once; those that come before it has noticed the first are one.
 *
 * <p>Begun and ended on the thread of the body; interrupted by any.
 */
@SuppressWarnings("serial") // an atomic by inheritance, to save an object a call
final class DeferredExecution extends AtomicBoolean {

    private static final Logger log = LoggerFactory.getLogger(DeferredExecution.class);
    private static final LogLine RESTORE_FAILED = LogLine.warn("context_restore_failed");

    private volatile @Nullable InterruptibleExecution run;
    private volatile boolean endsCall;

    /**
     * Runs a task that begins the body.
     *
     * @param inContext the task, with what the call took along to this thread. What is broken of that is thrown if
     *     it kept the body from beginning, and logged otherwise
     */
    void carry(Runnable inContext) {
        try {
            inContext.run();
        } catch (Throwable broken) {
            if (!hasBegun()) {
                throw broken;
            }
            RESTORE_FAILED.in(log).setCause(broken).log("What a call took along to its worker could not be taken back");
        }
        if (!hasBegun()) {
            throw new IllegalStateException("A context carrier did not run the task that it had wrapped");
        }
    }

    /** Says that the body comes next on this thread; {@code false} if it did before: nothing runs it a second time. */
    boolean begin() {
        if (run != null) {
            return false;
        }
        InterruptibleExecution body = new InterruptibleExecution();
        body.begin();
        run = body;
        deliver();
        return true;
    }

    /** Says that the body has ended, which has begun on this thread. */
    void end() {
        InterruptibleExecution body = run;
        if (body != null) {
            body.end();
        }
    }

    /** Whether a thread has come to the body. */
    boolean hasBegun() {
        return run != null;
    }

    /** Interrupts the body as soon as it runs; nothing happens if it has ended. */
    void interrupt() {
        set(true);
        deliver();
    }

    /** As {@link #interrupt()}, and the call has ended: its caller has gone, and gets nothing of what the body does. */
    void interruptAndEndCall() {
        endsCall = true;
        interrupt();
    }

    /** Done by the first thread that sees both the interrupt and the body: it takes the interrupt. */
    private void deliver() {
        InterruptibleExecution body = run;
        if (body != null && compareAndSet(true, false)) {
            if (endsCall) {
                body.interruptAndEndCall();
            } else {
                body.interrupt();
            }
        }
    }
}
