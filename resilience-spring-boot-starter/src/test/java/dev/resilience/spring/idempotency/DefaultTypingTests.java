package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.idempotency.json.Json;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.ResolvableType;
import tools.jackson.databind.DefaultTyping;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.jsontype.BasicPolymorphicTypeValidator;

/** A stored text never chooses the class that is made of it, even if the application's mapper would let it. */
class DefaultTypingTests {

    static final JsonMapper TRUSTING = JsonMapper.builder()
            .activateDefaultTypingAsProperty(
                    BasicPolymorphicTypeValidator.builder()
                            .allowIfBaseType(Object.class)
                            .allowIfSubType(Object.class)
                            .build(),
                    DefaultTyping.NON_FINAL,
                    "@class")
            .build();

    @BeforeEach
    void forget() {
        Gadget.made = 0;
    }

    @Test
    void aMapperThatTrustsTextsMakesTheGadget() {
        TRUSTING.readValue(attack(), Envelope.class);
        assertThat(Gadget.made).isEqualTo(1);
    }

    @Test
    void theStoredTextDoesNot() {
        Object read = new Json(() -> TRUSTING)
                .codec(ResolvableType.forClass(Envelope.class))
                .read(attack().getBytes(StandardCharsets.UTF_8));
        assertThat(Gadget.made).isZero();
        assertThat(((Envelope) java.util.Objects.requireNonNull(read)).content())
                .isEqualTo(attackingContent());
    }

    @Test
    void anArgumentThatBecomesPartOfTheResultDoesNot() {
        IdempotentApplication.with(
                IdempotentApplication.runner().withBean(JsonMapper.class, () -> TRUSTING), Echo.class, echo -> {
                    Map<String, Object> content = attackingContent();
                    assertThat(echo.echo("k", content)).isEqualTo(new Envelope(content, List.of()));
                    assertThat(echo.echo("k", content)).isEqualTo(new Envelope(content, List.of()));
                    assertThat(Gadget.made).isZero();
                });
    }

    static String attack() {
        return "{\"@class\": \"" + Envelope.class.getName() + "\", \"content\": "
                + new JsonMapper().writeValueAsString(attackingContent()) + "}";
    }

    static Map<String, Object> attackingContent() {
        return Map.of(
                "@class",
                LinkedHashMap.class.getName(),
                "part",
                Map.of("@class", Gadget.class.getName(), "command", "rm"));
    }

    record Envelope(
            @Nullable Map<String, Object> content, @Nullable List<String> notes) {}

    static class Echo {

        private final AtomicInteger calls = new AtomicInteger();

        int calls() {
            return calls.get();
        }

        @Idempotent(key = "#key")
        Envelope echo(String key, Map<String, Object> content) {
            calls.incrementAndGet();
            return new Envelope(content, List.of());
        }
    }

    /** Does harm when it is made. */
    public static class Gadget {

        static int made;

        public Gadget() {
            made++;
        }

        @SuppressWarnings("unused")
        public void setCommand(String command) {}
    }
}
