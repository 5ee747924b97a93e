package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonInclude;
import dev.resilience.annotation.Idempotent;
import dev.resilience.exception.IdempotencyKeyReusedException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Whatever the application's mapper leaves out, cuts or wraps for clients, the store has it all. */
class MapperSettingsTests {

    private static void with(String setting, IdempotentApplication.ContextConsumer<Shop> consumer) {
        IdempotentApplication.with(
                IdempotentApplication.runner().withPropertyValues("spring.jackson." + setting), Shop.class, consumer);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "default-property-inclusion=always",
                "default-property-inclusion=non_null",
                "default-property-inclusion=non_empty",
                "default-property-inclusion=non_default",
                "date-format=yyyy-MM-dd HH:mm",
                "datatype.datetime.truncate-to-msecs-on-read=true",
                "datatype.datetime.truncate-to-msecs-on-write=true",
                "datatype.enum.write-enums-to-lowercase=true",
                "datatype.enum.write-enums-using-to-string=true",
                "deserialization.accept-empty-array-as-null-object=true",
                "deserialization.accept-empty-string-as-null-object=true",
                "deserialization.fail-on-null-creator-properties=true",
                "deserialization.unwrap-root-value=true",
                "deserialization.use-big-integer-for-ints=true",
                "deserialization.use-java-array-for-json-array=true",
                "serialization.wrap-root-value=true",
                "serialization.write-empty-json-arrays=false",
                "serialization.write-single-elem-arrays-unwrapped=true"
            })
    void changeNoReplayedResult(String setting) {
        with(setting, shop -> {
            All first = shop.all("k");
            assertThat(shop.all("k")).isEqualTo(first).isNotSameAs(first);
            Map<String, @Nullable String> notes = shop.notes("k");
            assertThat(shop.notes("k")).isEqualTo(notes).isNotSameAs(notes);
            assertThat(shop.calls()).isEqualTo(2);
        });
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "datatype.datetime.write-durations-as-timestamps=true",
                "datatype.enum.write-enums-using-index=true"
            })
    void changeNoReplayedResultWithOtherNumbers(String setting) {
        with(setting, shop -> assertThat(shop.all("k")).isEqualTo(shop.all("k")));
    }

    @Test
    void ofClassesChangeNoReplayedResult() {
        IdempotentApplication.with(Shop.class, shop -> {
            Annotated first = shop.annotated("k");
            assertThat(shop.annotated("k")).isEqualTo(first).isNotSameAs(first);
        });
    }

    @Test
    void makeNoTwoPayloadsAlike() {
        with("default-property-inclusion=non_empty", shop -> {
            shop.pay("k", Map.of("note", ""));
            assertThatExceptionOfType(IdempotencyKeyReusedException.class).isThrownBy(() -> shop.pay("k", Map.of()));
        });
        with("date-format=yyyy-MM-dd", shop -> {
            shop.pay("k", Map.of("at", Date.from(Instant.ofEpochMilli(1L))));
            assertThatExceptionOfType(IdempotencyKeyReusedException.class)
                    .isThrownBy(() -> shop.pay("k", Map.of("at", Date.from(Instant.ofEpochMilli(2L)))));
        });
    }

    enum Kind {
        GIFT,
        OTHER {
            @Override
            public String toString() {
                return "GIFT";
            }
        }
    }

    record All(
            List<String> none,
            List<String> one,
            Optional<String> note,
            @Nullable String nothing,
            String empty,
            int zero,
            boolean no,
            Kind kind,
            Date date,
            Instant at,
            Duration took,
            Map<String, Object> more) {}

    @JsonInclude(JsonInclude.Include.NON_EMPTY)
    record Annotated(
            List<String> none,
            Map<String, String> notes,
            @JsonFormat(pattern = "dd.MM.yyyy HH:mm") LocalDateTime at) {}

    static class Shop {

        private final AtomicInteger calls = new AtomicInteger();

        int calls() {
            return calls.get();
        }

        @Idempotent(key = "#key")
        All all(String key) {
            return new All(
                    List.of(),
                    List.of(key),
                    Optional.empty(),
                    null,
                    "",
                    0,
                    false,
                    Kind.OTHER,
                    Date.from(Instant.ofEpochMilli(1_234_567_890_123L)),
                    Instant.parse("2026-03-01T10:15:30.123456789Z"),
                    Duration.ofNanos(calls.incrementAndGet()),
                    Map.of("amount", 1, "items", List.of(1, 2)));
        }

        @Idempotent(key = "#key")
        Map<String, @Nullable String> notes(String key) {
            calls.incrementAndGet();
            Map<String, @Nullable String> notes = new HashMap<>(Map.of("empty", ""));
            notes.put(key, null);
            return notes;
        }

        @Idempotent(key = "#key")
        Annotated annotated(String key) {
            return new Annotated(List.of(), Map.of(key, ""), LocalDateTime.of(2026, 3, 1, 10, 15, 30, 5));
        }

        @Idempotent(key = "#key")
        int pay(String key, Map<String, Object> order) {
            return calls.incrementAndGet();
        }
    }
}
