package dev.resilience.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.SortedOnce;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;

/** Handlers that call protected methods themselves: that could go on for ever. */
class HandlersThatCallTests {

    @Test
    void whatAHandlerCallsIsNotObserved() {
        Applications.plain(Audit.class, Shop.class, Auditor.class)
                .withConfiguration(SortedOnce.of(ObservationAutoConfiguration.class))
                .run(context -> {
                    Audit audit = context.getBean(Audit.class);
                    context.getBean(Shop.class).buy();
                    assertThat(audit.entries()).hasValue(2);

                    context.getBean(Shop.class).buyLater().join();
                    assertThat(audit.entries()).hasValue(4);
                });
    }

    static class Shop {

        @Retryable("two")
        public String buy() {
            return "bought";
        }

        @Retryable("two")
        public CompletableFuture<String> buyLater() {
            return CompletableFuture.completedFuture("bought");
        }
    }

    static class Audit {

        private final AtomicInteger entries = new AtomicInteger();

        AtomicInteger entries() {
            return entries;
        }

        @Retryable("two")
        public void write() {
            entries.incrementAndGet();
        }

        @Retryable("two")
        public CompletableFuture<Integer> writeLater() {
            return CompletableFuture.completedFuture(entries.incrementAndGet());
        }
    }

    record Auditor(Audit audit) implements ObservationHandler<Observation.Context> {

        @Override
        public void onStart(Observation.Context context) {
            audit.write();
        }

        @Override
        public void onStop(Observation.Context context) {
            audit.writeLater().join();
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }
}
