package dev.resilience.spring.log;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.slf4j.LoggerFactory;

/** What one class logs while a test runs; nothing of it reaches the console. */
public final class CapturedLines implements AutoCloseable {

    private final Logger logger;
    private final ListAppender<ILoggingEvent> appender = new ListAppender<>();

    private CapturedLines(Logger logger) {
        this.logger = logger;
    }

    public static CapturedLines of(Class<?> type) {
        CapturedLines lines = new CapturedLines((Logger) LoggerFactory.getLogger(type));
        lines.appender.start();
        lines.logger.setAdditive(false);
        lines.logger.addAppender(lines.appender);
        return lines;
    }

    public ILoggingEvent single() {
        assertThat(appender.list).hasSize(1);
        return appender.list.get(0);
    }

    public List<ILoggingEvent> all() {
        return List.copyOf(appender.list);
    }

    /** The first of some lines. */
    public ILoggingEvent first() {
        assertThat(appender.list).isNotEmpty();
        return appender.list.get(0);
    }

    /** The value of its key {@code event}. */
    public static String event(ILoggingEvent line) {
        return line.getKeyValuePairs().stream()
                .filter(pair -> pair.key.equals("event"))
                .map(pair -> String.valueOf(pair.value))
                .findFirst()
                .orElseThrow();
    }

    @Override
    public void close() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
    }
}
