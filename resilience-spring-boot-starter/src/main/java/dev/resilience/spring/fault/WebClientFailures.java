package dev.resilience.spring.fault;

import dev.resilience.fault.HttpFailure;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.reactive.function.client.WebClientResponseException;

/** Reads the answers in the exceptions of {@code WebClient}. */
public final class WebClientFailures implements HttpFailure.Reader {

    @Override
    public @Nullable HttpFailure read(Throwable failure) {
        if (failure instanceof WebClientResponseException answer) {
            String retryAfter = answer.getHeaders().getFirst(HttpHeaders.RETRY_AFTER);
            return new HttpFailure(answer.getStatusCode().value(), retryAfter);
        }
        return null;
    }
}
