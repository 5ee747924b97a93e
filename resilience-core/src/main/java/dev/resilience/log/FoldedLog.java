package dev.resilience.log;

import dev.resilience.time.TimeSource;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The log of one policy, which stays readable when thousands of calls fail. Up to ten lines of each event are written in
 * a second, the first at once. What happens beyond that is folded: it is counted, and one line a second says how often,
 * until there are at most ten a second again. So each event is in the log exactly once: as a line of its own, or in the
 * count of one summary.
 *
 * <p>The last summary comes by a timer, which is set only while something is folded and keeps nothing alive but this
 * object, for a second. To count an event and then see that the second is still the same, or else to see to it that
 * there is a timer: this order is why none is forgotten at the turn of a second.
 *
 * <p>Nothing here throws: neither a clock, nor a logger, nor the message of an exception can hurt a call. Safe for use
 * by many threads; they share no lock but once a second.
 */
public final class FoldedLog implements AutoCloseable {

    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);
    private final Logger log;
    private final TimeSource time;
    private final String policy;
    private final LogSummary summary;
    private final List<LogLine> events;
    private final AtomicLongArray folded;
    private final long[] told;
    private final AtomicReference<LoggedSecond> second;
    private volatile @Nullable Throwable lastFailure;

    /**
     * @param kind the kind of the policy, in words that begin a sentence: {@code Retry}
     * @param summaryEvent tells summaries from other lines: {@code retry_summary}
     * @param events all that it reports, in the order of a summary; each is a constant, and is known again by its identity
     */
    public FoldedLog(Logger log, TimeSource time, String kind, String policy, String summaryEvent, LogLine... events) {
        this.log = log;
        this.time = time;
        this.policy = policy;
        this.events = List.of(events);
        this.summary = new LogSummary(kind, policy, summaryEvent, this.events);
        this.folded = new AtomicLongArray(events.length);
        this.told = new long[events.length];
        this.second = new AtomicReference<>(new LoggedSecond(time.nanoTime(), new boolean[events.length]));
    }

    /**
     * Something happened. Writes a line, or counts it for the next summary.
     *
     * @param failure what was thrown, if anything was
     * @param line adds what is to be told to a line that has {@code event} and {@code policy} already, and logs it
     */
    public void write(LogLine event, @Nullable Throwable failure, Consumer<LoggingEventBuilder> line) {
        try {
            if (!log.isWarnEnabled()) {
                return;
            }
            if (present().takeLine(index(event))) {
                line.accept(event.in(log, policy));
            } else {
                fold(event, failure);
            }
        } catch (Throwable broken) { // a clock or a logger: the call goes on
        }
    }

    /** Something happened that has no line of its own. A summary that is written for the sake of others counts it too. */
    public void count(LogLine event) {
        folded.incrementAndGet(index(event));
    }

    /** Writes at once what is folded. What is written later is served as before. */
    @Override
    public void close() {
        end(second());
    }

    private void fold(LogLine event, @Nullable Throwable failure) {
        if (failure != null) {
            lastFailure = failure;
        }
        folded.incrementAndGet(index(event));
        setTimer(second());
    }

    @SuppressWarnings("ReferenceEquality") // each line is one constant
    private int index(LogLine event) {
        int index = 0;
        while (events.get(index) != event) {
            index++;
        }
        return index;
    }

    /** The second in which it is now. One that has a timer ends by it, unless that is lost. */
    private LoggedSecond present() {
        LoggedSecond current = second();
        long now = time.nanoTime();
        long nanos = current.nanosAt(now);
        return nanos >= 2 * SECOND || (nanos >= SECOND && !current.hasTimer()) ? turn(current, now) : current;
    }

    private LoggedSecond second() {
        return Objects.requireNonNull(second.get());
    }

    private void setTimer(LoggedSecond current) {
        if (current.hasTimer() || !current.takeTimer()) {
            return;
        }
        try {
            long left = Math.max(1, SECOND - current.nanosAt(time.nanoTime()));
            time.scheduleUrgent(Duration.ofNanos(left), () -> end(current));
        } catch (Throwable noTimer) { // then the next line that comes later ends the second
            current.timerFailed();
        }
    }

    private void end(LoggedSecond last) {
        try {
            turn(last, time.nanoTime());
        } catch (Throwable broken) { // a clock or a logger: what asked for it goes on
        }
    }

    /** Goes on to the next second, once, and reports what was folded in the last one. */
    private LoggedSecond turn(LoggedSecond last, long now) {
        boolean[] stillFolded = new boolean[events.size()];
        boolean any = false;
        double most = LoggedSecond.MOST_LINES * Math.max(1.0, (double) last.nanosAt(now) / SECOND);
        for (int event = 0; event < events.size(); event++) {
            stillFolded[event] = events.get(event).event() != null && last.lines(event) + untold(event) > most;
            any |= stillFolded[event];
        }
        LoggedSecond next = new LoggedSecond(now, stillFolded);
        if (!second.compareAndSet(last, next)) {
            return second();
        }
        tell(last, now);
        if (any) {
            setTimer(next);
        }
        return next;
    }

    private void tell(LoggedSecond last, long now) {
        long[] counts = new long[events.size()];
        boolean worthALine = false;
        synchronized (told) {
            for (int event = 0; event < events.size(); event++) {
                long all = folded.get(event);
                counts[event] = all - told[event];
                told[event] = all;
                worthALine |= counts[event] > 0 && events.get(event).event() != null;
            }
        }
        if (worthALine) {
            Throwable failure = lastFailure;
            lastFailure = null;
            summary.write(log, counts, Duration.ofNanos(last.nanosAt(now)), last.hasLines(), failure);
        }
    }

    private long untold(int event) {
        synchronized (told) {
            return folded.get(event) - told[event];
        }
    }
}
