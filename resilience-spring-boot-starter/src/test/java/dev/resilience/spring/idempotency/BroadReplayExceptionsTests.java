package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.StartupWarnings;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Exceptions that whoever writes to the store could choose freely are a warning at startup. */
class BroadReplayExceptionsTests {

    private static List<String> warnings(String listed) {
        List<String> warnings = new ArrayList<>();
        IdempotentApplication.runner()
                .withBean(Shop.class)
                .withPropertyValues("resilience.idempotency.payments.replay-exceptions=" + listed)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    warnings.addAll(context.getBean(StartupWarnings.class).all());
                });
        return warnings;
    }

    @ParameterizedTest
    @ValueSource(classes = {Throwable.class, Exception.class, RuntimeException.class})
    void aSupertypeOfAllIsAWarningThatNamesTheKeyAndTheClass(Class<?> broad) {
        assertThat(warnings("java.lang.IllegalStateException," + broad.getName()))
                .singleElement()
                .asString()
                .contains(
                        "resilience.idempotency.payments.replay-exceptions",
                        broad.getName(),
                        "List the exceptions",
                        "[broad-replay-exceptions]")
                .doesNotContain("IllegalStateException");
    }

    @Test
    void anExceptionOfOneMeaningIsNone() {
        assertThat(warnings("java.lang.IllegalStateException,java.io.IOException"))
                .isEmpty();
    }

    static class Shop {

        @Idempotent(value = "payments", key = "#key")
        public String pay(String key) {
            return key;
        }
    }
}
