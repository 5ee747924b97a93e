package dev.resilience.log;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.KeyValuePair;
import org.slf4j.event.Level;
import org.slf4j.event.LoggingEvent;
import org.slf4j.helpers.AbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.LoggingEventAware;

/** A logger that remembers its lines and does nothing else. */
class RecordedLog extends AbstractLogger implements LoggingEventAware {

    private static final long serialVersionUID = 1;

    @SuppressWarnings("serial") // is never serialized
    private final Queue<Line> lines = new ConcurrentLinkedQueue<>();

    record Line(Level level, String message, Map<String, Object> pairs) {}

    List<Line> lines() {
        return List.copyOf(lines);
    }

    List<String> events() {
        return lines.stream().map(line -> (String) line.pairs.get("event")).toList();
    }

    Line last() {
        return lines().get(lines.size() - 1);
    }

    @Override
    public void log(LoggingEvent event) {
        Map<String, Object> pairs = new LinkedHashMap<>();
        for (KeyValuePair pair : event.getKeyValuePairs()) {
            pairs.put(pair.key, pair.value);
        }
        String message = MessageFormatter.arrayFormat(event.getMessage(), event.getArgumentArray())
                .getMessage();
        lines.add(new Line(event.getLevel(), message, pairs));
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
        return null;
    }

    @Override
    protected void handleNormalizedLoggingCall(
            Level level, Marker marker, String pattern, Object[] arguments, Throwable throwable) {
        throw new UnsupportedOperationException();
    }

    @Override
    public boolean isTraceEnabled() {
        return true;
    }

    @Override
    public boolean isTraceEnabled(Marker marker) {
        return true;
    }

    @Override
    public boolean isDebugEnabled() {
        return true;
    }

    @Override
    public boolean isDebugEnabled(Marker marker) {
        return true;
    }

    @Override
    public boolean isInfoEnabled() {
        return true;
    }

    @Override
    public boolean isInfoEnabled(Marker marker) {
        return true;
    }

    @Override
    public boolean isWarnEnabled() {
        return true;
    }

    @Override
    public boolean isWarnEnabled(Marker marker) {
        return true;
    }

    @Override
    public boolean isErrorEnabled() {
        return true;
    }

    @Override
    public boolean isErrorEnabled(Marker marker) {
        return true;
    }
}
