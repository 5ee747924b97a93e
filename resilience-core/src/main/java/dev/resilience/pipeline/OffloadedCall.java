package dev.resilience.pipeline;

import dev.resilience.pipeline.AsyncStep.Next;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A blocking call that one step moves to another thread while its caller waits. What is inside the step is called there as a
 * blocking call.
 *
 * <p>A caller that is interrupted while it waits passes the interrupt on to the body and waits for what that makes of it, as it
 * would if the body ran on its own thread. An interrupt that comes before the body has begun waits for it.
 */
final class OffloadedCall extends AsyncCall {

    private final Step next;
    private final AtomicBoolean interrupt = new AtomicBoolean();
    private volatile @Nullable InterruptibleExecution body;
    private volatile @Nullable Supplier<? extends Throwable> exceeded;

    OffloadedCall(AsyncStep step, Invocation invocation) {
        super(step, invocation, 1);
        this.next = step.next;
    }

    @Override
    public boolean isBlocking() {
        return true;
    }

    /** Makes the call: returns what the body returned or throws what it threw, the same instance. */
    @Nullable
    @SuppressWarnings("FutureReturnValueIgnored") // it is this
    Object await() throws Throwable {
        boolean wasInterrupted = Thread.interrupted();
        interrupt.set(wasInterrupted);
        start();
        InterruptibleExecution.await(this, wasInterrupted, this::stop);
        Throwable failure = exceeded == null ? failure() : exceeded.get();
        if (failure != null) {
            throw failure;
        }
        return result();
    }

    /** On the caller's thread, which has the log's context, and the listeners' too. */
    @Override
    void answerTimedOut(Supplier<? extends Throwable> answer) {
        exceeded = answer;
        completeAnswer(null, null);
    }

    @Override
    Next enterBody() {
        try {
            end(interruptibly(), null);
        } catch (Throwable failure) {
            end(null, failure);
        }
        return Next.OUTWARD;
    }

    @Override
    @Nullable
    Object begin() throws Throwable {
        if (isOver()) {
            throw new Cancelled();
        }
        body = (InterruptibleExecution) state;
        deliverInterrupt();
        return next.call(invocation());
    }

    /** An interrupt of the body; a call whose time is over need not begin any more. */
    @Override
    public void stop() {
        if (isOver()) {
            super.stop();
        } else {
            interrupt.set(true);
            deliverInterrupt();
        }
    }

    /** Done by the first thread that sees both the interrupt and the body. */
    private void deliverInterrupt() {
        InterruptibleExecution begun = body;
        if (begun != null && interrupt.compareAndSet(true, false)) {
            begun.interrupt();
        }
    }
}
