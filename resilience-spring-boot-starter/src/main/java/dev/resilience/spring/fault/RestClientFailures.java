package dev.resilience.spring.fault;

import dev.resilience.fault.HttpFailure;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.RestClientResponseException;

/** Reads the answers in the exceptions of {@code RestClient} and {@code RestTemplate}. */
public final class RestClientFailures implements HttpFailure.Reader {

    @Override
    public @Nullable HttpFailure read(Throwable failure) {
        if (failure instanceof RestClientResponseException answer) {
            HttpHeaders headers = answer.getResponseHeaders();
            String retryAfter = headers == null ? null : headers.getFirst(HttpHeaders.RETRY_AFTER);
            return new HttpFailure(answer.getStatusCode().value(), retryAfter);
        }
        return null;
    }
}
