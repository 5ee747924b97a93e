package dev.resilience.spring.idempotency.http;

import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.http.Requests.Exchange;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.Json.ResultCodec;
import dev.resilience.spring.idempotency.json.NonValueTypes;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.StringUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.service.annotation.HttpExchange;

/**
 * Answers to requests: status, the headers that belong to the content, and the body, whether a handler method returns them or
 * sets them on the response. What belongs to the one exchange, such as cookies, dates and trace ids, is left out. A repeated
 * answer is the result of the handler method like any other, so that Spring writes it as the repetition wants it.
 *
 * <p>A body that can be read back as what is declared is kept as that. Any other is kept as its clients see it: as text, as
 * bytes, or as JSON, which is read back as maps and lists.
 *
 * <p>Not kept are 5xx and the 4xx that another try may well change, because they depend on who asks, on the moment or on
 * another request, and what depends on a condition of the request (RFC 9110).
 * draft-ietf-httpapi-idempotency-key-header leaves the choice to the server.
 *
 * @param isHandler whether the response is the method's own to set
 * @param isAnswer whether status and headers belong to its results
 * @param isTyped whether bodies are read back as what is declared
 * @param status which the method declares
 * @param exchange the request of a call; {@code null} if none is known
 */
public record HttpAnswerCodec(
        boolean isHandler,
        boolean isAnswer,
        boolean isTyped,
        @Nullable Integer status,
        ResultCodec bodies,
        ResultCodec heads,
        ResultCodec problems,
        Requests requests,
        @Nullable Exchange exchange)
        implements ResultCodec {

    private static final String REPLAYED = "Idempotency-Replayed";
    private static final Set<Integer> NOT_KEPT = Set.of(206, 304, 401, 403, 408, 409, 412, 416, 423, 425, 428, 429);
    private static final List<String> KEPT_HEADERS =
            List.of(HttpHeaders.CONTENT_TYPE, HttpHeaders.LOCATION, HttpHeaders.ETAG);

    /**
     * For a method.
     *
     * @param type the class of the bean
     * @param isEntity whether the method returns a {@code ResponseEntity}
     * @param body what is read back; {@code null} for bodies that are kept as clients see them
     * @param requests where the requests are that get the answers
     */
    public static HttpAnswerCodec of(
            Method method,
            Class<?> type,
            boolean isEntity,
            @Nullable ResolvableType body,
            Json json,
            Requests requests) {
        ResponseStatus status = status(method, type);
        boolean isHandler = isHandler(method, type);
        ResultCodec bodies = body == null ? json.plainCodec(method) : json.codec(body);
        return new HttpAnswerCodec(
                isHandler,
                isHandler || isEntity,
                body != null,
                status == null ? null : status.code().value(),
                bodies,
                json.codec(ResolvableType.forClass(Head.class)),
                body == null ? json.codec(ResolvableType.forClass(ProblemDetail.class)) : bodies,
                requests,
                null);
    }

    /** What is kept before the body, with its length. */
    private record Head(int status, Map<String, String> headers, boolean isEntity, Format body) {}

    private enum Format {
        JSON,
        TEXT,
        BYTES,
        PROBLEM,

        /** By the handler itself. */
        WRITTEN
    }

    /**
     * Whether the bodies of a method can be kept as clients see them: it answers requests with them, and does not itself
     * return an object of another class than plain JSON has.
     */
    public static boolean canBePlain(Method method, Class<?> type, boolean isEntity, Class<?> body) {
        ResponseStatus status = status(method, type);
        boolean isErased = isEntity || method.getReturnType() != body; // inside an entity or a stage
        return isHandler(method, type)
                && (isEntity
                        || AnnotatedElementUtils.hasAnnotation(method, ResponseBody.class)
                        || AnnotatedElementUtils.hasAnnotation(type, ResponseBody.class))
                && (status == null || !StringUtils.hasText(status.reason())) // which is sent in place of the body
                && (isErased || body.isAssignableFrom(LinkedHashMap.class) || body.isAssignableFrom(ArrayList.class))
                && NonValueTypes.why(body) == null;
    }

    /** Whether a method answers requests, and is no client's, which has the same annotations. */
    public static boolean isHandler(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(type, Controller.class)
                && (AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class)
                        || AnnotatedElementUtils.hasAnnotation(method, HttpExchange.class));
    }

    private static @Nullable ResponseStatus status(Method method, Class<?> type) {
        ResponseStatus ofMethod = AnnotatedElementUtils.findMergedAnnotation(method, ResponseStatus.class);
        return ofMethod != null ? ofMethod : AnnotatedElementUtils.findMergedAnnotation(type, ResponseStatus.class);
    }

    @Override
    public ResultCodec ofCall(Invocation call) {
        Exchange found = requests.exchange(call, isHandler);
        return found == null
                ? this
                : new HttpAnswerCodec(isHandler, isAnswer, isTyped, status, bodies, heads, problems, requests, found);
    }

    @Override
    public void onReplay() {
        if (exchange != null) {
            exchange.replay(null, Map.of(REPLAYED, "true"));
        }
    }

    /** The response of a handler method's call. */
    private @Nullable Exchange response() {
        return isHandler ? exchange : null;
    }

    /** Spring sends errors and problems with their own status. */
    @Override
    public boolean keeps(@Nullable Object result) {
        int sent = result instanceof ErrorResponse error
                ? error.getStatusCode().value()
                : result instanceof ProblemDetail problem ? problem.getStatus() : status(result);
        return sent < 500 && !NOT_KEPT.contains(sent);
    }

    private int status(@Nullable Object result) {
        if (result instanceof ResponseEntity<?> entity) {
            return entity.getStatusCode().value();
        }
        Exchange response = response();
        return response != null ? response.status(status) : Objects.requireNonNullElse(status, HttpStatus.OK.value());
    }

    @Override
    public byte[] write(@Nullable Object result) {
        if (!isAnswer) {
            return bodies.write(result);
        }
        if (result instanceof ErrorResponse error && !isTyped) {
            return write(ResponseEntity.status(error.getStatusCode())
                    .headers(error.getHeaders())
                    .body(error.getBody())); // as Spring does it
        }
        ResponseEntity<?> entity = result instanceof ResponseEntity<?> given ? given : null;
        Object body = entity == null ? result : entity.getBody();
        Exchange response = response();
        byte[] written = response == null ? new byte[0] : response.written();
        Format format = written.length > 0 ? Format.WRITTEN : format(body);
        byte[] head = heads.write(new Head(status(result), headers(entity), entity != null, format));
        byte[] content = format == Format.WRITTEN ? written : write(body, format);
        return ByteBuffer.allocate(Integer.BYTES + head.length + content.length)
                .putInt(head.length)
                .put(head)
                .put(content)
                .array();
    }

    private Map<String, String> headers(@Nullable ResponseEntity<?> entity) {
        Map<String, String> headers = new LinkedHashMap<>();
        for (String name : KEPT_HEADERS) {
            String ofEntity = entity == null ? null : entity.getHeaders().getFirst(name);
            Exchange response = response();
            String value = ofEntity == null && response != null ? response.header(name) : ofEntity;
            if (value != null) {
                headers.put(name, value);
            }
        }
        return headers;
    }

    private Format format(@Nullable Object body) {
        if (isTyped || body == null) {
            return Format.JSON;
        }
        if (body instanceof CharSequence) {
            return Format.TEXT;
        }
        if (body instanceof ProblemDetail) {
            return Format.PROBLEM;
        }
        String whyNot = NonValueTypes.why(body.getClass());
        if (whyNot != null) {
            throw new IllegalStateException("The answer cannot be kept: " + whyNot);
        }
        return body instanceof byte[] ? Format.BYTES : Format.JSON;
    }

    private byte[] write(@Nullable Object body, Format format) {
        return switch (format) {
            case JSON -> bodies.write(body);
            case TEXT -> String.valueOf(body).getBytes(StandardCharsets.UTF_8);
            case BYTES, WRITTEN -> (byte[]) Objects.requireNonNull(body);
            case PROBLEM -> problems.write(body);
        };
    }

    @Override
    public @Nullable Object read(byte[] content) {
        if (!isAnswer) {
            return bodies.read(content);
        }
        int begin = Integer.BYTES + ByteBuffer.wrap(content).getInt();
        Objects.checkFromToIndex(Integer.BYTES, begin, content.length);
        Head head = (Head) Objects.requireNonNull(heads.read(Arrays.copyOfRange(content, Integer.BYTES, begin)));
        Object body = read(Arrays.copyOfRange(content, begin, content.length), head.body);
        if (head.isEntity) {
            HttpHeaders headers = new HttpHeaders();
            head.headers.forEach(headers::set);
            return ResponseEntity.status(head.status).headers(headers).body(body);
        }
        Exchange response = response();
        if (response != null) {
            response.replay(head.status, head.headers);
        }
        if (head.body != Format.WRITTEN) {
            return body;
        }
        if (response != null) {
            onReplay(); // before the headers are sent
            response.write((byte[]) Objects.requireNonNull(body));
        }
        return null;
    }

    private @Nullable Object read(byte[] body, Format format) {
        return switch (format) {
            case JSON -> bodies.read(body);
            case TEXT -> new String(body, StandardCharsets.UTF_8);
            case BYTES, WRITTEN -> body;
            case PROBLEM -> problems.read(body);
        };
    }
}
