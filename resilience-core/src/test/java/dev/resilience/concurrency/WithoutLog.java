package dev.resilience.concurrency;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.slf4j.LoggerFactory;

/** For tests that open breakers and retry by the thousand. */
public final class WithoutLog implements BeforeAllCallback, AfterAllCallback {

    private final Logger log = (Logger) LoggerFactory.getLogger("dev.resilience");
    private @Nullable Level before;

    @Override
    public void beforeAll(ExtensionContext context) {
        before = log.getLevel();
        log.setLevel(Level.OFF);
    }

    @Override
    public void afterAll(ExtensionContext context) {
        log.setLevel(before);
    }
}
