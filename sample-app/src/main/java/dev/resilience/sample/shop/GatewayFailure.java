package dev.resilience.sample.shop;

import java.net.ConnectException;
import java.net.http.HttpTimeoutException;
import org.springframework.http.HttpHeaders;
import org.springframework.web.client.RestClientResponseException;

/** How a call of the gateway failed, in a word or two. */
final class GatewayFailure {

    private GatewayFailure() {}

    static String inWords(Throwable failure) {
        if (failure instanceof RestClientResponseException answer) {
            HttpHeaders headers = answer.getResponseHeaders();
            String retryAfter = headers == null ? null : headers.getFirst(HttpHeaders.RETRY_AFTER);
            return answer.getStatusCode().value() + (retryAfter == null ? "" : " (asks to wait " + retryAfter + " s)");
        }
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof ConnectException) {
                return "connection refused";
            }
            if (cause instanceof HttpTimeoutException) {
                return "no answer in time";
            }
        }
        return "connection lost";
    }
}
