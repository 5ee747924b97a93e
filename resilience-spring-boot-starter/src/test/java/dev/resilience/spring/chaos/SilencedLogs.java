package dev.resilience.spring.chaos;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import java.util.List;
import org.slf4j.LoggerFactory;

/** No log while thousands of failures are made on purpose. */
final class SilencedLogs {

    private static final List<Logger> LOGS = List.of(
            (Logger) LoggerFactory.getLogger("dev.resilience"),
            (Logger) LoggerFactory.getLogger("com.zaxxer.hikari"),
            (Logger) LoggerFactory.getLogger("org.hibernate"),
            (Logger) LoggerFactory.getLogger("org.springframework"));

    private SilencedLogs() {}

    static void during(Runnable work) {
        List<Level> before = LOGS.stream().map(Logger::getLevel).toList(); // null where inherited
        LOGS.forEach(log -> log.setLevel(Level.OFF));
        try {
            work.run();
        } finally {
            for (int i = 0; i < LOGS.size(); i++) {
                LOGS.get(i).setLevel(before.get(i));
            }
        }
    }
}
