package dev.resilience.event.internal;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.log.FoldedLog;
import dev.resilience.log.LogLine;
import dev.resilience.time.TimeSource;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reports listeners that throw and of events that could not be made, with the stack trace: what always fails must not fill
 * the log in an outage.
 */
final class ListenerLog {

    private static final Logger log = LoggerFactory.getLogger(EventPublisher.class);
    private static final LogLine FAILED = LogLine.warn("listener_failed", "failed", "failed");
    private static final LogLine LOST = LogLine.warn("event_lost", "lost", "events lost");

    /** In place of the name of a class. */
    private static final String ALL = "all";

    /** By the name of the class, of which an application has a few. */
    private final ConcurrentMap<String, FoldedLog> byListener = new ConcurrentHashMap<>();

    void failed(ResilienceListener listener, ResilienceEvent event, Throwable broken) {
        String type = listener.getClass().getName();
        byListener
                .computeIfAbsent(type, ListenerLog::newLog)
                .write(
                        FAILED,
                        broken,
                        line -> line.setCause(broken).log("Listener {} failed on {}", type, event.type()));
    }

    /** An event could not be made, so no listener heard of it. */
    void lost(Throwable broken) {
        byListener
                .computeIfAbsent(ALL, ListenerLog::newLog)
                .write(
                        LOST,
                        broken,
                        line -> line.setCause(broken).log("An event could not be made, so no listener heard of it"));
    }

    private static FoldedLog newLog(String type) {
        return new FoldedLog(log, TimeSource.system(), "Listener", type, "listener_summary", FAILED, LOST);
    }
}
