package dev.resilience.spring.idempotency.redis;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;

/** What a {@link LuaScript} answers: a list of texts and bytes. */
record ScriptAnswer(List<?> parts) {

    int size() {
        return parts.size();
    }

    byte[] bytes(int index) {
        return (byte[]) parts.get(index);
    }

    String text(int index) {
        return new String(bytes(index), StandardCharsets.UTF_8);
    }

    boolean isTrue(int index) {
        return Boolean.parseBoolean(text(index));
    }

    long number(int index) {
        return Long.parseLong(text(index));
    }

    Duration millis(int index) {
        return Duration.ofMillis(number(index));
    }
}
