package dev.resilience.worker;

import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Passes jobs on to threads, and tells the log, once, that jobs wait for a thread and none has become free for some seconds.
 * Jobs that wait for other jobs of the same threads wait for ever then, which no bounded number of threads cures.
 *
 * <p>Looks only while jobs wait. Safe for use by many threads.
 */
final class StalledQueueLog implements Executor {

    static final Duration PATIENCE = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(StalledQueueLog.class);
    private static final LogLine STALLED = LogLine.warn("async_threads_stalled");

    private final String prefix;
    private final TimeSource time;
    private final BoundedExecutor threads;
    private final AtomicBoolean looking = new AtomicBoolean();

    StalledQueueLog(String prefix, TimeSource time, BoundedExecutor threads) {
        this.prefix = prefix;
        this.time = time;
        this.threads = threads;
    }

    @Override
    public void execute(Runnable job) {
        threads.execute(job);
        lookIfAnyWaits();
    }

    private void lookIfAnyWaits() {
        if (threads.queued() > 0 && looking.compareAndSet(false, true)) {
            lookLater();
        }
    }

    private void lookLater() {
        long begun = threads.begun();
        time.scheduleUrgent(PATIENCE, () -> look(begun));
    }

    private void look(long begunBefore) {
        int queued = threads.queued();
        if (queued == 0) {
            looking.set(false);
            lookIfAnyWaits(); // one may have been added just now
        } else if (threads.begun() != begunBefore) {
            lookLater();
        } else {
            tell(queued);
        }
    }

    private void tell(int queued) {
        int busy = threads.busy();
        STALLED.in(log)
                .addKeyValue("threads", prefix)
                .addKeyValue("busy", busy)
                .addKeyValue("queued", queued)
                .log(
                        "None of the {} threads '{}' has become free for {} s, and {} asynchronous calls wait for one. A method "
                                + "that blocks there until another call of the same policy ends may wait for ever: let it return "
                                + "its future instead, or raise resilience.async.max-threads. Logged once.",
                        busy,
                        prefix,
                        PATIENCE.toSeconds(),
                        queued);
    }
}
