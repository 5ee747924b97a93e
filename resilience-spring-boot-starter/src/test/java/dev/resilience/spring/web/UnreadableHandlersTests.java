package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.log.CapturedLines;
import org.junit.jupiter.api.Test;

class UnreadableHandlersTests {

    @Test
    void aSpringWithoutTheFieldIsLogged() {
        try (CapturedLines log = CapturedLines.of(SelectiveHandlers.class)) {
            SelectiveHandlers.arrange(String.class, "");

            assertThat(CapturedLines.event(log.single())).isEqualTo("exception_handlers_not_readable");
            assertThat(log.single().getFormattedMessage()).contains("java.lang.String", SelectiveHandlers.FIELD);
        }
    }
}
