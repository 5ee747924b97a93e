package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.spring.log.CapturedLines;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Collections;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Results have taken all the memory that they may: what was executed once is not executed again, and callers are told. */
class FullMemoryTests {

    private static final int KEPT = 2;

    private final ApplicationContextRunner runner = IdempotentApplication.runner()
            .withConfiguration(SortedOnce.of(ResilienceMetricsAutoConfiguration.class))
            .withBean(SimpleMeterRegistry.class)
            .withBean(Receipts.class)
            .withPropertyValues("resilience.idempotency-store.memory.max-size=40KB");

    private static void fill(Receipts receipts) {
        for (int i = 0; i < KEPT; i++) {
            receipts.pay("key " + i);
        }
    }

    private static void assertCounted(ApplicationContext context, IdempotencyOutcome more, int times) {
        Idempotency policy = Objects.requireNonNull(
                context.getBean(ResilienceRegistry.class).idempotencies().get("default"));
        assertThat(policy.calls().get(IdempotencyOutcome.EXECUTED)).isEqualTo(KEPT);
        assertThat(policy.calls().get(more)).isEqualTo(times);
    }

    @Test
    void aNewKeyIsRefusedAndCountedAndLoggedWithTheCure() {
        runner.run(context -> {
            Receipts receipts = context.getBean(Receipts.class);
            fill(receipts);
            try (CapturedLines log = CapturedLines.of(Idempotency.class)) {
                assertThatExceptionOfType(IdempotencyStoreException.class)
                        .isThrownBy(() -> receipts.pay("new"))
                        .withMessageContaining("the store is full")
                        .havingCause()
                        .withMessageContaining("40960 are allowed");

                ILoggingEvent line = log.single();
                assertThat(CapturedLines.event(line)).isEqualTo("idempotency_store_failed");
                assertThat(line.getKeyValuePairs().toString()).contains("memory.max-size");
            }

            assertThat(receipts.paid()).isEqualTo(KEPT);
            assertCounted(context, IdempotencyOutcome.STORE_FAILURE, 1);
        });
    }

    @Test
    void nothingThatWasExecutedIsForgotten() {
        runner.run(context -> {
            Receipts receipts = context.getBean(Receipts.class);
            fill(receipts);
            for (int i = 0; i < 20; i++) {
                String key = "new " + i;
                assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> receipts.pay(key));
            }

            fill(receipts);

            assertThat(receipts.paid()).isEqualTo(KEPT);
            assertCounted(context, IdempotencyOutcome.REPLAYED, KEPT);
        });
    }

    @Test
    void aPolicyThatHasTakenWhatItMayLeavesTheOthersTheirShares() {
        runner.withBean(Notes.class)
                .withPropertyValues(
                        "resilience.idempotency-store.memory.max-size=100KB", "resilience.idempotency.notes.ttl=1m")
                .run(context -> {
                    Receipts receipts = context.getBean(Receipts.class);
                    assertThatExceptionOfType(IdempotencyStoreException.class).isThrownBy(() -> {
                        for (int i = 0; i < 10; i++) {
                            receipts.pay("key " + i);
                        }
                    });

                    Notes notes = context.getBean(Notes.class);
                    for (int i = 0; i < 100; i++) {
                        assertThat(notes.note("key " + i)).isEqualTo("noted");
                    }
                    assertThat(context.getBean(MemoryIdempotencyStore.class).bytes())
                            .isLessThan(100 * 1024);
                });
    }

    @Test
    void aPolicyMayRunUnprotectedInstead() {
        runner.withPropertyValues("resilience.idempotency.default.on-store-failure=fail-open")
                .run(context -> {
                    Receipts receipts = context.getBean(Receipts.class);
                    fill(receipts);

                    assertThat(receipts.pay("new")).startsWith("paid 3");
                    assertThat(receipts.pay("new")).startsWith("paid 4");
                    assertCounted(context, IdempotencyOutcome.STORE_FAILURE, 2);
                });
    }

    @Test
    void metersShowHowMuchIsTaken() {
        runner.run(context -> {
            MeterRegistry meters = context.getBean(MeterRegistry.class);
            assertThat(meters.get("resilience.idempotency.memory.used").gauge().value())
                    .isZero();
            assertThat(meters.get("resilience.idempotency.memory.limit").gauge().value())
                    .isEqualTo(40_960);

            context.getBean(Receipts.class).pay("key");

            assertThat(meters.get("resilience.idempotency.memory.used").gauge().value())
                    .isEqualTo((double)
                            context.getBean(MemoryIdempotencyStore.class).bytes())
                    .isBetween(20_000.0, 21_000.0);
        });
    }

    /** Of another policy. */
    static class Notes {

        @Idempotent(value = "notes", key = "#key")
        public String note(String key) {
            return "noted";
        }
    }

    /** With long receipts. */
    static class Receipts {

        private int paid;

        int paid() {
            return paid;
        }

        @Idempotent(key = "#key")
        public String pay(String key) {
            return "paid " + ++paid + String.join("", Collections.nCopies(20_400, "."));
        }
    }
}
