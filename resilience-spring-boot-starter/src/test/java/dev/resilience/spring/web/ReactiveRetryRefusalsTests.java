package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;

/** With WebFlux, on Netty. */
class ReactiveRetryRefusalsTests extends RetryRefusalsContract {

    ReactiveRetryRefusalsTests() {
        super(WebApplicationType.REACTIVE);
    }

    /** WebFlux shows the failure to nothing but the handler; a controller there returns a publisher. */
    @Test
    void anAnswerOfTheApplicationsOwnHandlerDoesNotHaveItWhereTheControllerThrows() {
        assertThat(get("/handled")).isEqualTo("503 []");
    }
}
