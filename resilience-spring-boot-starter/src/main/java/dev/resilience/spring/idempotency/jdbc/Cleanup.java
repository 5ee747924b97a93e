package dev.resilience.spring.idempotency.jdbc;

import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import dev.resilience.time.TimeSource.Scheduled;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Removes expired idempotency records from the table, from time to time. Nothing waits for it: an expired record that is still
 * there is as good as none.
 *
 * <p>In small batches, so that no transaction is long, and at random times, so that the instances of an application do not
 * come together; where they do, each skips the rows that another one has locked. Each batch begins where the one before it
 * has ended: records that stay, for an operator to decide about, are passed over once each time.
 */
public final class Cleanup implements SmartLifecycle {

    private static final Logger log = LoggerFactory.getLogger(Cleanup.class);
    private static final LogLine FAILED = LogLine.warn("idempotency_cleanup_failed");
    private static final Duration SHORTEST_PAUSE = Duration.ofMinutes(5);
    private static final Duration LONGEST_PAUSE = Duration.ofMinutes(15);
    private static final int BATCH = 500;

    private final JdbcIdempotencyStore store;
    private final TimeSource time;
    private volatile boolean running;
    private volatile @Nullable Scheduled next;

    public Cleanup(JdbcIdempotencyStore store, TimeSource time) {
        this.store = store;
        this.time = time;
    }

    @Override
    public void start() {
        running = true;
        scheduleNext();
    }

    @Override
    public void stop() {
        running = false;
        Scheduled scheduled = next;
        if (scheduled != null) {
            scheduled.cancel();
        }
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    private void scheduleNext() {
        long nanos = ThreadLocalRandom.current().nextLong(SHORTEST_PAUSE.toNanos(), LONGEST_PAUSE.toNanos());
        next = time.schedule(Duration.ofNanos(nanos), this::run);
        if (!running) {
            stop();
        }
    }

    private void run() {
        if (!running) {
            return;
        }
        try {
            for (long from = 0; from != RecordTable.ALL_REMOVED && running; ) {
                from = store.removeExpired(from, BATCH);
            }
        } catch (RuntimeException unavailable) {
            FAILED.in(log)
                    .setCause(unavailable)
                    .log("Expired idempotency records could not be removed; the next try comes in some minutes");
        } finally {
            scheduleNext();
        }
    }
}
