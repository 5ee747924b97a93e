package dev.resilience.spring.cloud;

import dev.resilience.exception.ResilienceException;
import java.util.concurrent.TimeoutException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cloud.client.circuitbreaker.ReactiveCircuitBreakerFactory;
import org.springframework.cloud.gateway.filter.factory.SpringCloudCircuitBreakerFilterFactory;
import org.springframework.http.HttpStatus;
import org.springframework.web.reactive.DispatcherHandler;
import org.springframework.web.server.ResponseStatusException;
import reactor.core.publisher.Mono;

/**
 * The {@code CircuitBreaker} filter of Spring Cloud Gateway on WebFlux. A route without a {@code fallbackUri} answers a
 * refusal and a time limit as a controller does: 503 with {@code Retry-After}, and 504, as problem details. Its
 * {@code resumeWithoutError} covers neither.
 *
 * <p>Safe for use by many threads.
 */
public final class GatewayCircuitBreakerFilterFactory extends SpringCloudCircuitBreakerFilterFactory {

    public GatewayCircuitBreakerFilterFactory(
            ReactiveCircuitBreakerFactory<?, ?> breakers, ObjectProvider<DispatcherHandler> handler) {
        super(breakers, handler);
    }

    @Override
    protected Mono<Void> handleErrorWithoutFallback(Throwable failure, boolean resumeWithoutError) {
        if (failure instanceof ResilienceException) {
            return Mono.error(failure);
        }
        if (failure instanceof TimeoutException) {
            return Mono.error(new ResponseStatusException(HttpStatus.GATEWAY_TIMEOUT, failure.getMessage(), failure));
        }
        return resumeWithoutError ? Mono.empty() : Mono.error(failure);
    }
}
