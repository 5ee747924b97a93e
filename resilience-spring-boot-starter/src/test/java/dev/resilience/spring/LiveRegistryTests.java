package dev.resilience.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.time.TimeSource;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LiveRegistryTests {

    private final LiveRegistry registry = new LiveRegistry(TimeSource.system(), null);
    private final AtomicInteger closed = new AtomicInteger();

    @Test
    void closesWhatCanBeClosedWithTheApplicationOrWhenItIsRemoved() {
        registry.add("throttle", new LiveRegistry.Lifecycle<AutoCloseable>() {});
        registry.<AutoCloseable>computeIfAbsent("throttle", "partners", () -> closed::incrementAndGet);
        registry.<AutoCloseable>computeIfAbsent("throttle", "others", () -> closed::incrementAndGet);

        registry.remove("throttle", "partners");
        assertThat(closed).hasValue(1);

        registry.close();
        assertThat(closed).hasValue(2);
    }

    @Test
    void oneThatCannotBeClosedLeavesNoOtherOneOpen() {
        for (String kind : List.of("throttle", "quota")) {
            registry.add(kind, new LiveRegistry.Lifecycle<AutoCloseable>() {});
            registry.<AutoCloseable>computeIfAbsent(kind, "broken", () -> () -> {
                throw new IOException("the socket is gone");
            });
            registry.<AutoCloseable>computeIfAbsent(kind, "partners", () -> closed::incrementAndGet);
        }

        assertThatThrownBy(registry::close).hasRootCauseInstanceOf(IOException.class);

        assertThat(closed).hasValue(2);
    }
}
