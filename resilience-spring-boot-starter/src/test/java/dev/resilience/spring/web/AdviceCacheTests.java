package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.log.CapturedLines;
import org.junit.jupiter.api.Test;

class AdviceCacheTests {

    @Test
    void aSpringWithoutTheFieldIsLogged() {
        try (CapturedLines log = CapturedLines.of(AdviceCache.class)) {
            assertThat(AdviceCache.of(String.class, "")).isEmpty();

            assertThat(CapturedLines.event(log.single())).isEqualTo("exception_handlers_not_readable");
            assertThat(log.single().getFormattedMessage()).contains("java.lang.String", AdviceCache.FIELD);
        }
    }
}
