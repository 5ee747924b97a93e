package dev.resilience.log;

import dev.resilience.time.Durations;
import dev.resilience.time.ShortLock;
import dev.resilience.time.TimeSource;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The log of one policy, which stays readable when thousands of calls fail. The first line of an event is written at once.
 * Further ones are folded until the second is over that began with the first line of any event: then one summary says how
 * many more calls ended in which way. A single line that was folded is written as itself, with the time of what it reports.
 *
 * <p>A summary reads the counters of the policy, the same that the meters read; so whatever is reported is counted first. An
 * event that has a line of its own is in no summary. The end of a second comes by a timer, which is set only when something is
 * folded. Safe for use by many threads, which share no lock while more than one line is folded.
 */
public final class FoldedLog implements AutoCloseable {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Exception types made at run time (proxies, scripts) must not fill the memory. */
    private static final int MAX_REMEMBERED = 1_000;

    private final Logger log;
    private final TimeSource time;
    private final String kind;
    private final String policy;
    private final String summary;
    private final Supplier<Map<String, Long>> counts;
    private final Set<String> reportedOnce = ConcurrentHashMap.newKeySet();
    private final ShortLock lock = new ShortLock();
    private final Set<LogLine> written = ConcurrentHashMap.newKeySet(); // since the second began
    private Map<String, Long> reported = new HashMap<>();
    private long begin;
    private @Nullable Late folded;
    private volatile boolean isSummarized; // more than one line is folded

    private record Late(LogLine event, Consumer<LoggingEventBuilder> line, Instant at) {}

    /**
     * @param kind the kind of the policy, in words that begin a sentence: {@code Retry}
     * @param summary the event of summaries: {@code retry_summary}
     * @param counts how often what has happened until now, by outcome
     */
    public FoldedLog(
            Logger log,
            TimeSource time,
            String kind,
            String policy,
            String summary,
            Supplier<Map<String, Long>> counts) {
        this.log = log;
        this.time = time;
        this.kind = kind;
        this.policy = policy;
        this.summary = summary;
        this.counts = counts;
    }

    /**
     * Something happened, and is counted. Writes a line at once, or leaves it to the end of the second.
     *
     * @param line adds what is to be reported to a line that has {@code event} and {@code policy} already, and logs it
     */
    public void write(LogLine event, Consumer<LoggingEventBuilder> line) {
        if ((isSummarized && written.contains(event)) || !log.isEnabledForLevel(event.level())) {
            return;
        }
        if (lock.get(() -> isWrittenAtOnce(event, line))) {
            write(event.in(log, policy), line);
        }
    }

    private boolean isWrittenAtOnce(LogLine event, Consumer<LoggingEventBuilder> line) {
        long now = time.nanoTime();
        if (folded == null && (written.isEmpty() || now - begin >= SECOND.toNanos())) {
            begin = now;
            written.clear();
            written.add(event);
            reported = new HashMap<>(counts.get());
            return true;
        }
        boolean first = written.add(event);
        if (first) {
            reported.merge(event.outcome(), 1L, Long::sum);
        } else {
            fold(event, line);
        }
        return first;
    }

    private void fold(LogLine event, Consumer<LoggingEventBuilder> line) {
        if (folded != null) {
            isSummarized = true;
            return;
        }
        folded = new Late(event, line, time.now());
        time.scheduleUrgent(
                Durations.max(Duration.ofNanos(1), SECOND.minusNanos(time.nanoTime() - begin)), this::close);
    }

    /** Ends the second: writes what is folded. What is written later is served as before. */
    @Override
    public void close() {
        lock.get(this::endSecond).run();
    }

    /** Returns what writes the line, which is done outside the lock. */
    private Runnable endSecond() {
        Late late = folded;
        boolean isMore = isSummarized;
        Level level = written.stream().allMatch(event -> event.level() == Level.INFO) ? Level.INFO : Level.WARN;
        folded = null;
        written.clear();
        isSummarized = false; // before the counters are read: a call that relies on the summary has counted
        if (isMore) {
            Map<String, Long> before = reported;
            Map<String, Long> now = counts.get();
            return () -> summarize(level, before, now);
        }
        return late == null
                ? () -> {}
                : () -> write(late.event.in(log, policy).addKeyValue("at", Timestamps.text(late.at)), late.line);
    }

    private static void write(LoggingEventBuilder begun, Consumer<LoggingEventBuilder> line) {
        try {
            line.accept(begun);
        } catch (Throwable unreadable) {
            // an exception of the application's has a message that cannot be read: the call goes on
        }
    }

    private void summarize(Level level, Map<String, Long> before, Map<String, Long> now) {
        LoggingEventBuilder line = new LogLine(summary, level, "").in(log, policy);
        StringJoiner words = new StringJoiner(", ");
        for (Map.Entry<String, Long> count : now.entrySet()) {
            long more = Math.max(0, count.getValue() - before.getOrDefault(count.getKey(), 0L));
            line = line.addKeyValue(count.getKey(), more);
            if (more > 0) {
                words.add(more + " " + count.getKey());
            }
        }
        line.log(
                "{} '{}': in the last second also {}",
                kind,
                policy,
                words.length() > 0 ? words : "more of the lines above");
    }

    /** Writes a line of something that everybody knows who has seen it once. */
    public void once(String subject, LogLine event, Consumer<LoggingEventBuilder> line) {
        if (!reportedOnce.contains(subject) && reportedOnce.size() < MAX_REMEMBERED && reportedOnce.add(subject)) {
            write(event.in(log, policy), line);
        }
    }

    /**
     * Something of the application's threw. Logged once for each callback, with the stack trace; an interrupt is put back.
     *
     * @param callback its key in the policy, or its name
     * @param consequence what the call does without it, in words that follow "so"
     */
    public void callbackFailed(String callback, String consequence, Throwable broken) {
        if (broken instanceof InterruptedException) {
            Thread.currentThread().interrupt();
        }
        once(
                callback,
                LogLine.CALLBACK_FAILED,
                line -> line.addKeyValue("callback", callback)
                        .setCause(broken)
                        .log("{} '{}': {} failed, so {}. Logged once.", kind, policy, callback, consequence));
    }

    /** What a rule of the application's says; no if it throws, which is logged once for each rule. */
    public <T> boolean asks(Predicate<? super T> rule, @Nullable T subject, String callback, String consequence) {
        try {
            return rule.test(subject);
        } catch (Throwable broken) { // a checked one too, thrown sneakily
            callbackFailed(callback, consequence, broken);
            return false;
        }
    }
}
