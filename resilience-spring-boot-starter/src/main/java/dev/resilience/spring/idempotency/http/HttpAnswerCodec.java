package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.ResultCodec;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;

/**
 * Answers of a controller: status, the headers that belong to the content, and the body. What belongs to the one exchange,
 * such as cookies, dates and trace ids, is left out.
 *
 * <p>Answers that another try may well change are not kept: 5xx, and the 4xx that speak of who asks, of the moment or of
 * another request. draft-ietf-httpapi-idempotency-key-header leaves the choice to the server.
 */
public final class HttpAnswerCodec implements ResultCodec {

    private static final Set<Integer> OF_THE_MOMENT = Set.of(401, 403, 408, 409, 423, 425, 429);
    private static final List<String> KEPT_HEADERS =
            List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.LOCATION, HttpHeaders.ETAG);

    private final ResultCodec answers;

    public HttpAnswerCodec(Json json, ResolvableType body) {
        this.answers = json.codec(ResolvableType.forClassWithGenerics(Answer.class, body));
    }

    /** What is kept of an answer. */
    record Answer<T>(
            int status,
            Map<String, List<String>> headers,
            @Nullable T body) {}

    @Override
    public boolean keeps(@Nullable Object result) {
        return !(result instanceof ResponseEntity<?> answer)
                || isKept(answer.getStatusCode().value());
    }

    static boolean isKept(int status) {
        return status < 500 && !OF_THE_MOMENT.contains(status);
    }

    @Override
    public byte[] write(@Nullable Object result) {
        if (!(result instanceof ResponseEntity<?> answer)) {
            return answers.write(null);
        }
        return answers.write(new Answer<>(answer.getStatusCode().value(), kept(answer.getHeaders()), answer.getBody()));
    }

    /** The headers that belong to the content. */
    static Map<String, List<String>> kept(HttpHeaders all) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        for (String name : KEPT_HEADERS) {
            List<String> values = all.get(name);
            if (values != null) {
                headers.put(name, values);
            }
        }
        return headers;
    }

    @Override
    public @Nullable Object read(byte[] content) {
        if (!(answers.read(content) instanceof Answer<?> answer)) {
            return null; // which the method returned
        }
        HttpHeaders headers = new HttpHeaders();
        answer.headers().forEach(headers::addAll);
        return ResponseEntity.status(answer.status()).headers(headers).body(answer.body());
    }
}
