package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.ResilienceException;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;

/** Who answers where the application handles exceptions itself. */
class ApplicationAdviceTests {

    @Test
    void anAdviceOfHigherPrecedenceWins() {
        Web.application(Shop.class, FirstAdvice.class)
                .run(context -> assertThat(MockMvcTester.from(context).get().uri("/sell"))
                        .hasStatus(HttpStatus.GONE)
                        .hasBodyTextEqualTo("the application's own answer"));
    }

    @Test
    void aCatchAllWithoutAnOrderDoesNot() {
        Web.application(Shop.class, CatchAll.class).run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            assertThat(mvc.get().uri("/sell")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
            assertThat(mvc.get().uri("/break")).hasStatus(HttpStatus.GONE);
        });
    }

    @Test
    void theControllersOwnHandlerWins() {
        Web.application(SelfHelp.class)
                .run(context -> assertThat(MockMvcTester.from(context).get().uri("/help"))
                        .hasStatus(HttpStatus.GONE));
    }

    @Test
    void bootsProblemDetailsForSpringsOwnExceptionsStayWhatTheyAre() {
        Web.application(Shop.class)
                .withPropertyValues("spring.mvc.problemdetails.enabled=true")
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    assertThat(mvc.get().uri("/sell"))
                            .hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
                            .bodyJson()
                            .extractingPath("$.type")
                            .isEqualTo("urn:resilience:problem:circuit-open");
                    assertThat(mvc.post().uri("/sell")).hasStatus(HttpStatus.METHOD_NOT_ALLOWED);
                });
    }

    @Test
    void anApplicationMayReplaceTheHandlerByABeanOfItsOwn() {
        ResilienceExceptionHandler own = new ResilienceExceptionHandler();
        Web.application(Shop.class)
                .withBean("own", ResilienceExceptionHandler.class, () -> own)
                .run(context -> assertThat(context)
                        .getBean(ResilienceExceptionHandler.class)
                        .isSameAs(own));
    }

    @RestController
    static class Shop {

        @GetMapping("/sell")
        String sell() {
            throw new CircuitOpenException("shop", Duration.ofSeconds(1));
        }

        @GetMapping("/break")
        String fail() {
            throw new IllegalStateException("broken");
        }
    }

    @RestController
    static class SelfHelp {

        @GetMapping("/help")
        String help() {
            throw new CircuitOpenException("shop", Duration.ofSeconds(1));
        }

        @ExceptionHandler
        @ResponseStatus(HttpStatus.GONE)
        String handle(CircuitOpenException refusal) {
            return "helped";
        }
    }

    @RestControllerAdvice
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class FirstAdvice {

        @ExceptionHandler
        @ResponseStatus(HttpStatus.GONE)
        String handle(ResilienceException refusal) {
            return "the application's own answer";
        }
    }

    @RestControllerAdvice
    static class CatchAll {

        @ExceptionHandler
        @ResponseStatus(HttpStatus.GONE)
        String handle(Exception anything) {
            return "something went wrong";
        }
    }
}
