package dev.resilience.spring.web;

import dev.resilience.fault.HttpFailure;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.web.reactive.DispatchExceptionHandler;
import org.springframework.web.reactive.HandlerResult;
import org.springframework.web.reactive.HandlerResultHandler;
import org.springframework.web.server.ServerWebExchange;
import org.springframework.web.server.WebExceptionHandler;
import org.springframework.web.servlet.HandlerExceptionResolver;
import org.springframework.web.servlet.ModelAndView;
import reactor.core.publisher.Mono;

/**
 * Sets the header {@value HttpFailure#RETRY_HEADER} of answers to requests that failed although their work was retried here,
 * or because the answer of another service has the header, so that no service of a chain multiplies the retries of the next
 * one. It is set before the answer is made, by the application or by Spring. In one that is no error it has no effect.
 */
public final class RetryRefusals {

    private RetryRefusals() {}

    /**
     * In Spring MVC: sees every failure first and resolves none.
     *
     * @param refusesRetry whether the answer to a failure should have the header
     */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    public record OfServlet(Predicate<Throwable> refusesRetry) implements HandlerExceptionResolver {

        @Override
        public @Nullable ModelAndView resolveException(
                HttpServletRequest request, HttpServletResponse response, @Nullable Object handler, Exception failure) {
            if (refusesRetry.test(failure)) {
                response.setHeader(HttpFailure.RETRY_HEADER, HttpFailure.RETRY_REFUSED);
            }
            return null;
        }
    }

    /**
     * In Spring WebFlux: sees every failure that no method of the application handles, and the failures of publishers and
     * futures that a controller has returned before such a method does. A controller that throws, and whose failure a method
     * of the application handles, is out of reach: WebFlux has no hook between them.
     *
     * @param refusesRetry whether the answer to a failure should have the header
     */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    public record OfWebFlux(Predicate<Throwable> refusesRetry) implements WebExceptionHandler, HandlerResultHandler {

        @Override
        public Mono<Void> handle(ServerWebExchange exchange, Throwable failure) {
            if (refusesRetry.test(failure)) {
                exchange.getResponse().getHeaders().set(HttpFailure.RETRY_HEADER, HttpFailure.RETRY_REFUSED);
            }
            return Mono.error(failure);
        }

        /** No result is: this is where its exception handler can be wrapped, before the dispatcher asks for it. */
        @Override
        public boolean supports(HandlerResult result) {
            DispatchExceptionHandler next = result.getExceptionHandler();
            if (next != null) {
                result.setExceptionHandler((exchange, failure) -> handle(exchange, failure)
                        .cast(HandlerResult.class)
                        .onErrorResume(same -> next.handleError(exchange, same)));
            }
            return false;
        }

        @Override
        public Mono<Void> handleResult(ServerWebExchange exchange, HandlerResult result) {
            throw new UnsupportedOperationException();
        }
    }
}
