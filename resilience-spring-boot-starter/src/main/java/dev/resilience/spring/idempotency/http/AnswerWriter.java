package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.http.request.LiveRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpOutputMessage;
import org.springframework.http.MediaType;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.HttpMessageNotWritableException;
import org.springframework.web.HttpMediaTypeNotAcceptableException;
import org.springframework.web.context.request.ServletWebRequest;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;

/**
 * Makes bytes of results.
 *
 * @param handlers those of Spring MVC
 */
record AnswerWriter(HandlerMethodReturnValueHandler handlers, List<HttpMessageConverter<?>> converters) {

    private static final MediaType TEXT = new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8);

    /**
     * As Spring MVC would answer the request: with the converter that it chooses, and what else has a say in it.
     *
     * @param status that of results that have none of their own
     * @return {@code null} if the request, or the response so far, wants none of what the result can be written as
     */
    @Nullable
    SentAnswer answer(LiveRequest to, Object result, MethodParameter type, int status) throws Exception {
        BufferedResponse buffer = new BufferedResponse(to.response(), status);
        try {
            handlers.handleReturnValue(
                    result, type, new ModelAndViewContainer(), new ServletWebRequest(to.request(), buffer));
        } catch (HttpMediaTypeNotAcceptableException | HttpMessageNotWritableException unsuitable) {
            return null;
        }
        return buffer.answer();
    }

    /** For no request: one that is over, or accepts nothing. The bytes were never sent, so that any will do. */
    SentAnswer answer(Object result, int status) throws IOException {
        HttpHeaders headers = new HttpHeaders();
        Object body = result;
        if (result instanceof HttpEntity<?> entity) {
            headers.putAll(entity.getHeaders());
            body = entity.getBody();
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        if (body != null) {
            write(body, headers, bytes);
        }
        return new SentAnswer(status, headers, bytes.toByteArray());
    }

    private void write(Object body, HttpHeaders headers, OutputStream bytes) throws IOException {
        MediaType given = headers.getContentType();
        MediaType usual = body instanceof CharSequence ? TEXT : MediaType.APPLICATION_JSON;
        MediaType type = given == null ? usual : given;
        for (HttpMessageConverter<?> converter : converters) {
            if (converter.canWrite(body.getClass(), type)) {
                @SuppressWarnings("unchecked") // it has said that it can
                HttpMessageConverter<Object> ofBody = (HttpMessageConverter<Object>) converter;
                ofBody.write(body, type, new HttpOutputMessage() {
                    @Override
                    public OutputStream getBody() {
                        return bytes;
                    }

                    @Override
                    public HttpHeaders getHeaders() {
                        return headers;
                    }
                });
                return;
            }
        }
        throw new HttpMessageNotWritableException(
                "No converter writes " + body.getClass().getName() + " as " + type);
    }
}
