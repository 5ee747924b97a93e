package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** With Spring MVC, on Tomcat. */
class ServletRetryRefusalsTests extends RetryRefusalsContract {

    ServletRetryRefusalsTests() {
        super(WebApplicationType.SERVLET);
    }

    @Test
    void anAnswerOfTheApplicationsOwnHandlerHasItWhereTheControllerThrows() {
        assertThat(get("/handled")).isEqualTo("503 [no]");
    }
}
