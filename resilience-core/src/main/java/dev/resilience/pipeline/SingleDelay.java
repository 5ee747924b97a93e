package dev.resilience.pipeline;

import dev.resilience.time.StoppableTime;

/** A wait of a call that seldom waits, and so is no {@link AsyncDelay} itself. */
final class SingleDelay extends AsyncDelay {

    private final StoppableTime time;
    private final Runnable next;
    private final Runnable onCancel;

    SingleDelay(LinkedFuture answer, StoppableTime time, Runnable next, Runnable onCancel) {
        super(answer);
        this.time = time;
        this.next = next;
        this.onCancel = onCancel;
    }

    @Override
    protected StoppableTime time() {
        return time;
    }

    @Override
    protected void afterWait() {
        next.run();
    }

    @Override
    protected void cancelled() {
        onCancel.run();
    }
}
