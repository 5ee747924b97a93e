package dev.resilience.event;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.slf4j.LoggerFactory;
import org.slf4j.event.KeyValuePair;

/** What one class logs while a test runs, from INFO on; nothing of it reaches the console. */
public final class CapturedLog implements AutoCloseable {

    private final Logger logger;
    private final Level levelBefore;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private CapturedLog(Logger logger) {
        this.logger = logger;
        this.levelBefore = logger.getLevel();
    }

    public static CapturedLog of(Class<?> type) {
        CapturedLog log = new CapturedLog((Logger) LoggerFactory.getLogger(type));
        log.appender.start();
        log.logger.setLevel(Level.INFO);
        log.logger.setAdditive(false);
        log.logger.addAppender(log.appender);
        return log;
    }

    public List<ILoggingEvent> events() {
        return List.copyOf(appender.list);
    }

    public ILoggingEvent single() {
        assertThat(appender.list).hasSize(1);
        return appender.list.get(0);
    }

    /** The one entry of an event; what others in this process log meanwhile is left aside. */
    public ILoggingEvent single(String event) {
        List<ILoggingEvent> found = events().stream()
                .filter(entry -> event.equals(pairsOf(entry).get("event")))
                .toList();
        assertThat(found).hasSize(1);
        return found.get(0);
    }

    /** The key-value pairs of an entry, in their order. */
    public static Map<String, Object> pairsOf(ILoggingEvent entry) {
        Map<String, Object> pairs = new LinkedHashMap<>();
        for (KeyValuePair pair : entry.getKeyValuePairs()) {
            pairs.put(pair.key, pair.value);
        }
        return pairs;
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(levelBefore);
    }
}
