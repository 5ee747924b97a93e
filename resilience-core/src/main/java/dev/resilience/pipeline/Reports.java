package dev.resilience.pipeline;

import dev.resilience.event.CallRejected;
import dev.resilience.event.Outcome;
import dev.resilience.event.OutcomeCounters;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import dev.resilience.time.WorkerThreads;
import java.util.Locale;
import java.util.Map;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;

/**
 * What becomes of the calls of a live object: counted, logged and published. Each kind says with its own methods what that
 * is. Not for applications. Safe for use by many threads.
 *
 * @param <O> how calls of the kind end
 */
public class Reports<O extends Enum<O> & Outcome> implements AutoCloseable {

    private static final LogLine NO_THREAD = LogLine.warn("no_thread");

    static { // here, because the room of time is below that of the log
        WorkerThreads.reportShortageBy(() -> NO_THREAD
                .in(LoggerFactory.getLogger(WorkerThreads.class))
                .log("The system has no thread left: what is due runs late, on the threads that there are"));
    }

    protected final String name;
    protected final String nameInEvents;
    protected final TimeSource time;
    protected final OutcomeCounters<O> calls;
    protected final FoldedLog log;
    private final String kind;
    private final Environment environment;

    /**
     * @param logger the class of the live object
     * @param kind the kind of the policy, in words that begin a sentence: {@code Retry}
     * @param summary the event of the log's summaries: {@code retry_summary}
     */
    public Reports(
            Class<?> logger,
            String kind,
            String summary,
            String name,
            Environment environment,
            OutcomeCounters<O> calls) {
        this.kind = kind;
        this.name = name;
        this.nameInEvents = name;
        this.time = environment.time();
        this.environment = environment;
        this.calls = calls;
        this.log = new FoldedLog(LoggerFactory.getLogger(logger), time, kind, name, summary, this::counts);
    }

    /**
     * For a part of a live object, which counts and logs with the whole.
     *
     * @param part what it is for, which listeners get with the name of the whole: {@code crm[tenant-7]}
     * @param isLogged whether the log and exceptions may have it too
     */
    protected Reports(String part, boolean isLogged, Reports<O> ofAll) {
        this.nameInEvents = ofAll.name + "[" + part.replaceAll("\\p{Cntrl}", "?") + "]";
        this.name = isLogged ? nameInEvents : ofAll.name + "[key]";
        this.kind = ofAll.kind;
        this.time = ofAll.time;
        this.environment = ofAll.environment;
        this.calls = ofAll.calls;
        this.log = ofAll.log;
    }

    /**
     * Whether the next refusal is really made. Asked where a call is about to be refused: others do not pay for it.
     *
     * @param share of refusals that are made, 0 to 1
     */
    public final boolean enforces(double share) {
        return share >= 1 || environment.random().getAsDouble() < share;
    }

    public final String name() {
        return name;
    }

    /** Calls that ended, by how they ended. */
    public final OutcomeCounters<O> calls() {
        return calls;
    }

    public final FoldedLog log() {
        return log;
    }

    public final void publish(Supplier<ResilienceEvent> event) {
        environment.events().publish(event);
    }

    /**
     * Counts, logs and publishes that a call was not let in.
     *
     * @param reason in words that follow "because"
     * @param keys adds what else the line of the log has
     */
    protected final void refused(O outcome, LogLine event, String reason, UnaryOperator<LoggingEventBuilder> keys) {
        calls.count(outcome);
        log.write(
                event,
                line -> keys.apply(line)
                        .addKeyValue("reason", reason)
                        .log(kind + " '{}': a call was not let in, because {}", name, reason));
        publish(() -> new CallRejected(time.now(), kindInEvents(), nameInEvents, outcome.label()));
    }

    private String kindInEvents() {
        return kind.toLowerCase(Locale.ROOT).replace(' ', '-');
    }

    /** What a summary of the log is made of. */
    protected Map<String, Long> counts() {
        return calls.byLabel();
    }

    /** Writes to the log what is folded. */
    @Override
    public void close() {
        log.close();
    }
}
