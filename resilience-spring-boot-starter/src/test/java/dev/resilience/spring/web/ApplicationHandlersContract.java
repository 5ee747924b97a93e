package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.exception.ResilienceException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.bind.annotation.RestControllerAdvice;
import org.springframework.web.server.ResponseStatusException;

/** Who answers where the application handles exceptions itself; the same in both of Spring's web stacks. */
abstract class ApplicationHandlersContract {

    private static final String OURS = "503 urn:resilience:problem:circuit-open";

    private static final String OURS_WHEN_FULL = "503 urn:resilience:problem:bulkhead-full";

    /** The statuses and bodies of the answers from some paths; of problem details the type alone. */
    abstract List<String> answers(List<String> paths, Object... advices);

    abstract String answerWithParent(String path, Class<?> adviceOfParent);

    final String answer(String path, Object... advices) {
        return answers(List.of(path), advices).get(0);
    }

    @Test
    void theLibraryAnswersWhereTheApplicationDoesNot() {
        assertThat(answers(List.of("/open", "/full", "/wrapped", "/local", "/local-catch-all")))
                .containsExactly(OURS, OURS_WHEN_FULL, OURS, "410 local", "410 local catch-all");
    }

    @ParameterizedTest
    @ValueSource(ints = {Ordered.HIGHEST_PRECEDENCE, 0, Ordered.LOWEST_PRECEDENCE})
    void aHandlerForOneRefusalWinsWhateverItsOrder(int order) {
        assertThat(answers(List.of("/open", "/full", "/wrapped", "/local"), new ForOpenCircuits(order)))
                .containsExactly("410 open", OURS_WHEN_FULL, "410 open", "410 local");
    }

    @ParameterizedTest
    @ValueSource(ints = {Ordered.HIGHEST_PRECEDENCE, 0, Ordered.LOWEST_PRECEDENCE})
    void aHandlerForAllRefusalsWinsWhateverItsOrder(int order) {
        assertThat(answers(List.of("/open", "/full", "/local"), new ForAllRefusals(order)))
                .containsExactly("410 refused", "410 refused", "410 local");
    }

    @ParameterizedTest
    @ValueSource(ints = {Ordered.HIGHEST_PRECEDENCE, 0, Ordered.LOWEST_PRECEDENCE})
    void aCatchAllDoesNotSwallowRefusalsWhateverItsOrder(int order) {
        assertThat(answers(List.of("/open", "/wrapped", "/break", "/priced"), new ForExceptions(order)))
                .containsExactly(OURS, OURS, "500 broken", "500 broken");
    }

    @Test
    void aCatchAllForRuntimeExceptionsOrThrowablesDoesNotEither() {
        assertThat(answers(List.of("/open", "/break"), new ForRuntimeExceptions()))
                .containsExactly(OURS, "500 broken");
        assertThat(answers(List.of("/open", "/break"), new ForThrowables())).containsExactly(OURS, "500 broken");
    }

    @Test
    void handlersWithoutAnOrderBehaveAlike() {
        assertThat(answer("/open", new UnorderedForOpenCircuits())).isEqualTo("410 open, unordered");
        assertThat(answers(List.of("/open", "/break"), new UnorderedForExceptions()))
                .containsExactly(OURS, "500 broken, unordered");
    }

    @Test
    void aCatchAllOfHigherPrecedenceDoesNotHideAHandlerForARefusal() {
        ForExceptions first = new ForExceptions(Ordered.HIGHEST_PRECEDENCE);
        ForOpenCircuits last = new ForOpenCircuits(Ordered.LOWEST_PRECEDENCE);

        assertThat(answers(List.of("/open", "/break"), first, last)).containsExactly("410 open", "500 broken");
    }

    @Test
    void ofTwoHandlersForARefusalTheOneOfHigherPrecedenceAnswers() {
        assertThat(answer("/open", new ForOpenCircuits(2), new ForAllRefusals(1)))
                .isEqualTo("410 refused");
    }

    @Test
    void anAdviceWithBothAnswersWhatItNames() {
        assertThat(answers(List.of("/open", "/full", "/break", "/wrapped"), new Both()))
                .containsExactly("410 open", OURS_WHEN_FULL, "500 broken", "410 open");
        assertThat(answers(List.of("/open", "/full", "/break"), new BothInOne()))
                .containsExactly("410 both", OURS_WHEN_FULL, "410 both");
    }

    @Test
    void anAdviceForOtherControllersDoesNotAnswer() {
        assertThat(answers(List.of("/open", "/other"), new ForHelpDesk()))
                .containsExactly(OURS, "410 at the help desk");
    }

    @Test
    void aHandlerForTheExceptionAroundARefusalWins() {
        assertThat(answers(List.of("/wrapped", "/open"), new ForIllegalStates()))
                .containsExactly("410 illegal", OURS);
    }

    @Test
    void anExceptionAroundARefusalThatHasAStatusKeepsIt() {
        assertThat(answers(List.of("/priced", "/annotated"))).allMatch(answer -> answer.startsWith("402 "));
    }

    @Test
    void aHandlerInTheParentContextWinsToo() {
        assertThat(answerWithParent("/open", UnorderedForOpenCircuits.class)).isEqualTo("410 open, unordered");
        assertThat(answerWithParent("/open", UnorderedForExceptions.class)).isEqualTo(OURS);
    }

    static CircuitOpenException open() {
        return new CircuitOpenException("shop", Duration.ofSeconds(1));
    }

    @RestController
    static class Shop {

        @GetMapping("/open")
        String sell() {
            throw open();
        }

        @GetMapping("/full")
        String full() {
            throw new BulkheadFullException("shop", "full");
        }

        @GetMapping("/break")
        String fail() {
            throw new IllegalArgumentException("broken");
        }

        @GetMapping("/wrapped")
        String wrapped() {
            throw new IllegalStateException("cannot sell", open());
        }

        @GetMapping("/priced")
        String priced() {
            throw new ResponseStatusException(HttpStatus.PAYMENT_REQUIRED, "pay first", open());
        }

        @GetMapping("/annotated")
        String annotated() {
            throw new UnpaidException(open());
        }
    }

    @ResponseStatus(HttpStatus.PAYMENT_REQUIRED)
    static class UnpaidException extends RuntimeException {

        private static final long serialVersionUID = 1;

        UnpaidException(Throwable cause) {
            super(cause);
        }
    }

    @RestController
    static class HelpDesk {

        @GetMapping("/other")
        String help() {
            throw open();
        }
    }

    @RestController
    static class SelfHelp {

        @GetMapping("/local")
        String help() {
            throw open();
        }

        @ExceptionHandler
        ResponseEntity<String> handle(CircuitOpenException refusal) {
            return gone("local");
        }
    }

    @RestController
    static class SelfHelpForAll {

        @GetMapping("/local-catch-all")
        String help() {
            throw open();
        }

        @ExceptionHandler
        ResponseEntity<String> handle(Exception anything) {
            return gone("local catch-all");
        }
    }

    static ResponseEntity<String> gone(String body) {
        return ResponseEntity.status(HttpStatus.GONE).body(body);
    }

    static ResponseEntity<String> broken(String body) {
        return ResponseEntity.status(HttpStatus.INTERNAL_SERVER_ERROR).body(body);
    }

    /** An advice that has its order as a value. */
    abstract static class Advice implements Ordered {

        private final int order;

        Advice(int order) {
            this.order = order;
        }

        @Override
        public int getOrder() {
            return order;
        }
    }

    @RestControllerAdvice
    static class ForOpenCircuits extends Advice {

        ForOpenCircuits(int order) {
            super(order);
        }

        @ExceptionHandler
        ResponseEntity<String> handle(CircuitOpenException refusal) {
            return gone("open");
        }
    }

    @ControllerAdvice
    static class ForAllRefusals extends Advice {

        ForAllRefusals(int order) {
            super(order);
        }

        @ExceptionHandler(ResilienceException.class)
        ResponseEntity<String> handle() {
            return gone("refused");
        }
    }

    @ControllerAdvice
    static class ForExceptions extends Advice {

        ForExceptions(int order) {
            super(order);
        }

        @ExceptionHandler
        ResponseEntity<String> handle(Exception anything) {
            return broken("broken");
        }
    }

    @ControllerAdvice
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class ForRuntimeExceptions {

        @ExceptionHandler(RuntimeException.class)
        ResponseEntity<String> handle() {
            return broken("broken");
        }
    }

    @ControllerAdvice
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class ForThrowables {

        @ExceptionHandler
        ResponseEntity<String> handle(Throwable anything) {
            return broken("broken");
        }
    }

    @ControllerAdvice
    static class UnorderedForOpenCircuits {

        @ExceptionHandler
        ResponseEntity<String> handle(CircuitOpenException refusal) {
            return gone("open, unordered");
        }
    }

    @ControllerAdvice
    static class UnorderedForExceptions {

        @ExceptionHandler
        ResponseEntity<String> handle(Exception anything) {
            return broken("broken, unordered");
        }
    }

    @ControllerAdvice
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class Both {

        @ExceptionHandler
        ResponseEntity<String> handle(Exception anything) {
            return broken("broken");
        }

        @ExceptionHandler
        ResponseEntity<String> handle(CircuitOpenException refusal) {
            return gone("open");
        }
    }

    @ControllerAdvice
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class BothInOne {

        @ExceptionHandler({Exception.class, CircuitOpenException.class})
        ResponseEntity<String> handle(Exception anything) {
            return gone("both");
        }
    }

    @ControllerAdvice(assignableTypes = HelpDesk.class)
    @Order(Ordered.HIGHEST_PRECEDENCE)
    static class ForHelpDesk {

        @ExceptionHandler
        ResponseEntity<String> handle(CircuitOpenException refusal) {
            return gone("at the help desk");
        }
    }

    @ControllerAdvice
    static class ForIllegalStates {

        @ExceptionHandler
        ResponseEntity<String> handle(IllegalStateException failure) {
            return gone("illegal");
        }
    }
}
