package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.exception.IdempotencyStoreException;
import dev.resilience.spring.idempotency.DefaultTypingTests.Echo;
import dev.resilience.spring.idempotency.DefaultTypingTests.Envelope;
import dev.resilience.spring.idempotency.DefaultTypingTests.Gadget;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import tools.jackson.databind.json.JsonMapper;

/** What a store holds that somebody else has written, or an earlier version of the application. */
public abstract class TamperedResultContract {

    private static final Map<String, Object> CONTENT = Map.of("a", 1);

    /** An application whose store is empty. */
    protected abstract ApplicationContextRunner application();

    /** Writes this in place of the one result that is stored. */
    protected abstract void overwrite(byte[] result);

    private void withStored(String result, IdempotentApplication.ContextConsumer<Echo> consumer) {
        IdempotentApplication.with(
                application()
                        .withBean(JsonMapper.class, () -> DefaultTypingTests.TRUSTING)
                        .withPropertyValues("resilience.idempotency.default.on-store-failure=fail-open"),
                Echo.class,
                echo -> {
                    assertThat(echo.echo("k", CONTENT)).isEqualTo(new Envelope(CONTENT, List.of()));
                    overwrite(result.getBytes(StandardCharsets.UTF_8));
                    consumer.accept(echo);
                    assertThat(echo.calls()).isEqualTo(1);
                });
    }

    @Test
    void aClassThatItNamesIsNotMade() {
        Gadget.made = 0;
        withStored(DefaultTypingTests.attack(), echo -> {
            assertThat(echo.echo("k", CONTENT).content()).isEqualTo(DefaultTypingTests.attackingContent());
            assertThat(Gadget.made).isZero();
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{", "no JSON", "[]", "\"text\"", "{\"notes\": 1}"})
    void whatCannotBeReadIsAnErrorOnEveryCallAndNeverASecondExecution(String unreadable) {
        withStored(unreadable, echo -> {
            for (int i = 0; i < 2; i++) {
                assertThatExceptionOfType(IdempotencyStoreException.class)
                        .isThrownBy(() -> echo.echo("k", CONTENT))
                        .withMessageContaining("cannot be read");
            }
        });
    }
}
