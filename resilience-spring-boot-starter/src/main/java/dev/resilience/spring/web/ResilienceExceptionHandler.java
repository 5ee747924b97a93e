package dev.resilience.spring.web;

import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.exception.IdempotencyKeyInvalidException;
import dev.resilience.exception.IdempotencyKeyMissingException;
import dev.resilience.exception.IdempotencyKeyReusedException;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyOutcomeUnknownException;
import dev.resilience.exception.RateLimitExceededException;
import dev.resilience.exception.ResilienceException;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.fault.Causes;
import dev.resilience.fault.HttpFailure;
import dev.resilience.spring.KebabCase;
import dev.resilience.time.Durations;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.core.annotation.Order;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * Answers refusals that leave a controller with problem details (RFC 9457), with {@code Retry-After} where there is
 * something to wait for, and with {@value HttpFailure#RETRY_HEADER} where another attempt of a service that calls would only
 * add to the load. A handler of the application's own for one of these exceptions, or for
 * {@link ResilienceException}, comes first; one for every {@link Exception} does not, whatever their order.
 */
@ControllerAdvice
@Order(0)
public final class ResilienceExceptionHandler {

    private static final String TYPE_PREFIX = "urn:resilience:problem:";

    private static final Map<Class<?>, HttpStatus> STATUSES = Map.of(
            RateLimitExceededException.class, HttpStatus.TOO_MANY_REQUESTS,
            TimeLimitExceededException.class, HttpStatus.GATEWAY_TIMEOUT,
            DeadlineExceededException.class, HttpStatus.GATEWAY_TIMEOUT,
            IdempotencyKeyMissingException.class, HttpStatus.BAD_REQUEST,
            IdempotencyKeyInvalidException.class, HttpStatus.BAD_REQUEST,
            IdempotencyInProgressException.class, HttpStatus.CONFLICT,
            IdempotencyKeyReusedException.class, HttpStatus.UNPROCESSABLE_CONTENT,
            IdempotencyOutcomeUnknownException.class, HttpStatus.CONFLICT,
            IdempotencyLeaseLostException.class, HttpStatus.CONFLICT);

    /**
     * @param thrown the refusal or what the controller wrapped it in
     * @throws Exception what was thrown, so that Spring goes on, where it says itself how it is answered
     */
    @ExceptionHandler(ResilienceException.class)
    ResponseEntity<Problem> handle(ResilienceException refusal, Exception thrown) throws Exception {
        if (refusalIn(thrown) == null) {
            throw thrown;
        }
        HttpStatus status = STATUSES.getOrDefault(refusal.getClass(), HttpStatus.SERVICE_UNAVAILABLE);
        Problem problem = new Problem(status);
        problem.setDetail(refusal.publicMessage());
        String name = refusal.getClass().getSimpleName().replaceFirst("Exception$", "");
        problem.setType(URI.create(TYPE_PREFIX + KebabCase.of(name)));
        ResponseEntity.BodyBuilder answer = ResponseEntity.status(status);
        Duration wait = refusal.retryAfter();
        if (wait != null) {
            answer.header(HttpHeaders.RETRY_AFTER, String.valueOf(Durations.toSecondsUp(wait)));
        }
        refusal.httpFields().forEach(answer::header);
        if (status.is5xxServerError() || status == HttpStatus.TOO_MANY_REQUESTS) {
            answer.header(HttpFailure.RETRY_HEADER, HttpFailure.RETRY_REFUSED);
        }
        return answer.body(problem);
    }

    /**
     * The outermost refusal among an exception and its causes. {@code null} if there is none, or if an exception around
     * it says itself which status it is answered with.
     */
    static @Nullable ResilienceException refusalIn(Throwable exception) {
        for (Throwable at : Causes.of(exception)) {
            if (at instanceof ResilienceException refusal) {
                return refusal;
            }
            if (at instanceof ErrorResponse
                    || AnnotatedElementUtils.hasAnnotation(at.getClass(), ResponseStatus.class)) {
                return null;
            }
        }
        return null;
    }

    /** Without the path of the request, which Spring would put in as the instance and which may hold the key. */
    static final class Problem extends ProblemDetail {

        private Problem(HttpStatus status) {
            super(status.value());
        }

        @Override
        public void setInstance(@Nullable URI path) {}
    }
}
