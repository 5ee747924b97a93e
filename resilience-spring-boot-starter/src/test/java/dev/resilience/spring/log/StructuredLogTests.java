package dev.resilience.spring.log;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import dev.resilience.Resilience;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import java.io.ByteArrayOutputStream;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.logging.logback.StructuredLogEncoder;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;
import tools.jackson.databind.json.JsonMapper;

/** What becomes of the key-value pairs in Spring Boot's structured logging. */
class StructuredLogTests {

    private final Logger logger = (Logger) LoggerFactory.getLogger(Retry.class);
    private final LoggerContext context = logger.getLoggerContext();
    private final Object environmentBefore = context.getObject(Environment.class.getName());
    private final MockEnvironment environment = new MockEnvironment().withProperty("spring.application.name", "shop");
    private final OutputStreamAppender<ILoggingEvent> appender = new OutputStreamAppender<>();

    @AfterEach
    void logAsBefore() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
        if (environmentBefore == null) {
            context.removeObject(Environment.class.getName());
        } else {
            context.putObject(Environment.class.getName(), environmentBefore);
        }
    }

    @Test
    void inEcsTheyAreFieldsOfTheLineAndEventIsAString() {
        assertThat(exhaustedIn("ecs"))
                .containsEntry("event", "retry_exhausted")
                .containsEntry("policy", "payments")
                .containsEntry("attempt", 1)
                .containsEntry("maxAttempts", 1)
                .containsEntry("errorType", "java.net.ConnectException")
                .containsEntry("errorMessage", "Connection refused")
                .containsKeys("@timestamp", "message", "ecs", "log", "service");
    }

    @Test
    void inEcsEventCanBeRenamedToTheFieldThatIsMeantForIt() {
        environment.setProperty("logging.structured.json.rename.event", "event.action");
        environment.setProperty("logging.structured.json.rename.errorType", "error.type");

        assertThat(exhaustedIn("ecs"))
                .containsEntry("event.action", "retry_exhausted")
                .containsEntry("error.type", "java.net.ConnectException")
                .doesNotContainKeys("event", "errorType");
    }

    @Test
    void inLogstashFormatTheyAreFieldsOfTheLine() {
        assertThat(exhaustedIn("logstash"))
                .containsEntry("event", "retry_exhausted")
                .containsEntry("policy", "payments");
    }

    private Map<String, Object> exhaustedIn(String format) {
        ByteArrayOutputStream output = new ByteArrayOutputStream();
        context.putObject(Environment.class.getName(), environment);
        StructuredLogEncoder encoder = new StructuredLogEncoder();
        encoder.setContext(context);
        encoder.setFormat(format);
        encoder.start();
        appender.setContext(context);
        appender.setEncoder(encoder);
        appender.setOutputStream(output);
        appender.start();
        logger.setAdditive(false);
        logger.addAppender(appender);
        RetryPolicy once = RetryPolicy.builder().maxAttempts(1).build();

        assertThatThrownBy(() -> Pipeline.of(Resilience.create().retry("payments", once))
                        .call(() -> {
                            throw new ConnectException("Connection refused");
                        }))
                .isInstanceOf(ConnectException.class);

        return fields(output.toString(StandardCharsets.UTF_8));
    }

    @SuppressWarnings("unchecked") // an object's fields have names
    private static Map<String, Object> fields(String line) {
        return JsonMapper.shared().readValue(line, Map.class);
    }
}
