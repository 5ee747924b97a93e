package dev.resilience.log;

import dev.resilience.time.Durations;
import dev.resilience.time.ShortLock;
import dev.resilience.time.TimeSource;
import dev.resilience.time.Timestamps;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * The log of one policy, which stays readable when thousands of calls fail. The first line of an event is written at once.
 * Further ones are folded until the second is over that began with the last line: then one summary says how many more calls
 * ended in which way. A single line that was folded is written as itself, with the time of what it reports.
 * As long as something is folded in each second, there is only the summary, and the line of an event that is new; after a second
 * without a line all begins anew.
 *
 * <p>A summary reads the counters of the policy, the same that the meters read; so whatever is reported is counted first. An
 * event that has a line of its own is in no summary. The end of a second comes by a timer, which is set only when something is
 * folded. Safe for use by many threads, which share no lock while more than one line is folded.
 */
public final class FoldedLog implements AutoCloseable {

    private static final Duration SECOND = Duration.ofSeconds(1);

    /** Exception types made at run time (proxies, scripts) must not fill the memory. */
    private static final int MAX_REMEMBERED = 1_000;

    private static final LoggedFailure NONE = new LoggedFailure("", "", null);

    private final Logger log;
    private final TimeSource time;
    private final String kind;
    private final String policy;
    private final String summary;
    private final Supplier<Map<String, Long>> counts;
    private final Set<String> reportedOnce = ConcurrentHashMap.newKeySet();
    private final ShortLock lock = new ShortLock();
    private final Set<LogLine> announced = new HashSet<>(); // since there was a second without a line
    private final Set<LogLine> seen = ConcurrentHashMap.newKeySet(); // in this second
    private Map<String, Long> reported = new HashMap<>();
    private long begin;
    private @Nullable Line folded;
    private volatile boolean isSummarized; // more than one line is folded

    /** @param at when it happened; {@code null} if that is now */
    private record Line(
            LogLine event,
            @Nullable Supplier<LoggedFailure> failure,
            @Nullable Instant at,
            BiConsumer<LoggingEventBuilder, LoggedFailure> text) {}

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
        if (isNeeded(event)) {
            write(new Line(event, null, null, (begun, failed) -> line.accept(begun)));
        }
    }

    /**
     * As {@link #write(LogLine, Consumer)}, about a failure; a summary shows the first of those that it stands for.
     *
     * @param line gets the failure too, and a line that has its keys
     */
    public void write(LogLine event, Throwable failure, BiConsumer<LoggingEventBuilder, LoggedFailure> line) {
        write(event, failure, null, line);
    }

    /**
     * As {@link #write(LogLine, Throwable, BiConsumer)}, about one that may be over.
     *
     * @param failure {@code null} for a result that counts as one
     * @param at when it happened; {@code null} if that is now
     */
    public void write(
            LogLine event,
            @Nullable Throwable failure,
            @Nullable Instant at,
            BiConsumer<LoggingEventBuilder, LoggedFailure> line) {
        if (isNeeded(event)) {
            write(new Line(event, () -> LoggedFailure.of(failure), at, line));
        }
    }

    /** Not so while a summary is to come that has it: in a storm a line that is not written costs no object. */
    private boolean isNeeded(LogLine event) {
        return !(isSummarized && seen.contains(event)) && log.isEnabledForLevel(event.level());
    }

    private void write(Line line) {
        if (lock.get(() -> isWrittenAtOnce(line))) {
            log(line);
        }
    }

    private boolean isWrittenAtOnce(Line line) {
        long now = time.nanoTime();
        if (folded == null && now - begin >= SECOND.toNanos()) {
            announced.clear();
            seen.clear();
        }
        seen.add(line.event);
        if (!announced.add(line.event)) {
            return !isFolded(line);
        }
        if (folded == null) {
            reported = new HashMap<>(counts.get());
        } else {
            reported.merge(line.event.outcome(), 1L, Long::sum);
        }
        begin = now;
        return true;
    }

    /** Whether the end of the second writes the line; not so where the system has no thread for that. */
    private boolean isFolded(Line line) {
        if (folded != null) {
            isSummarized = true;
            return true;
        }
        Duration left = Durations.max(Duration.ofNanos(1), SECOND.minusNanos(time.nanoTime() - begin));
        try {
            time.scheduleUrgent(left, this::close);
        } catch (OutOfMemoryError noThread) {
            reported.merge(line.event.outcome(), 1L, Long::sum);
            return false;
        }
        folded = new Line(line.event, line.failure, line.at == null ? time.now() : line.at, line.text);
        return true;
    }

    /** Ends the second: writes what is folded. What is written later is served as before. */
    @Override
    public void close() {
        lock.get(this::endSecond).run();
    }

    /** Returns what writes the line, which is done outside the lock. */
    private Runnable endSecond() {
        Line first = folded;
        if (first == null) {
            return () -> {};
        }
        boolean isMore = isSummarized;
        Level level = seen.stream().allMatch(event -> event.level() == Level.INFO) ? Level.INFO : Level.WARN;
        Map<String, Long> before = reported;
        folded = null;
        seen.clear();
        isSummarized = false; // before the counters are read: a call that relies on the summary has counted
        Map<String, Long> now = counts.get();
        begin = time.nanoTime();
        reported = new HashMap<>(now);
        return isMore ? () -> summarize(level, first, before, now) : () -> log(first);
    }

    private void log(Line line) {
        try {
            LoggingEventBuilder begun = line.event.in(log, policy);
            if (line.at != null && !Timestamps.text(line.at).equals(Timestamps.text(time.now()))) {
                begun = begun.addKeyValue("at", Timestamps.text(line.at));
            }
            LoggedFailure failure = line.failure == null ? NONE : line.failure.get();
            line.text.accept(line.failure == null ? begun : failure.addTo(begun), failure);
        } catch (Throwable unreadable) {
            // an exception of the application's has a message that cannot be read: the call goes on
        }
    }

    private void summarize(Level level, Line first, Map<String, Long> before, Map<String, Long> now) {
        LoggingEventBuilder line = new LogLine(summary, level, "").in(log, policy);
        StringJoiner words = new StringJoiner(", ");
        for (Map.Entry<String, Long> count : now.entrySet()) {
            long more = Math.max(0, count.getValue() - before.getOrDefault(count.getKey(), 0L));
            line = line.addKeyValue(count.getKey(), more);
            if (more > 0) {
                words.add(more + " " + (more == 1 ? count.getKey().replaceFirst("ies$", "y") : count.getKey()));
            }
        }
        Object what = words.length() > 0 ? words : "more of the lines above";
        if (first.failure == null) {
            line.log("{} '{}': in the last second also {}", kind, policy, what);
        } else {
            LoggedFailure failed = first.failure.get();
            failed.addTo(line)
                    .log("{} '{}': in the last second also {}, the first of them with {}", kind, policy, what, failed);
        }
    }

    /** Writes a line of something that everybody knows who has seen it once. */
    public void once(String subject, LogLine event, Consumer<LoggingEventBuilder> line) {
        if (!reportedOnce.contains(subject) && reportedOnce.size() < MAX_REMEMBERED && reportedOnce.add(subject)) {
            log(new Line(event, null, null, (begun, failed) -> line.accept(begun)));
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
