package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.json.ResultCodec;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

/** Answers of a controller that are a body alone. Their status is that of a problem, or that of the method. */
public final class ResponseBodyCodec implements ResultCodec {

    private final ResultCodec bodies;
    private final int statusOfMethod;

    public ResponseBodyCodec(ResultCodec bodies, Method method, Class<?> type) {
        this.bodies = bodies;
        ResponseStatus ofMethod = AnnotatedElementUtils.findMergedAnnotation(method, ResponseStatus.class);
        ResponseStatus status =
                ofMethod != null ? ofMethod : AnnotatedElementUtils.findMergedAnnotation(type, ResponseStatus.class);
        this.statusOfMethod = (status == null ? HttpStatus.OK : status.code()).value();
    }

    @Override
    public boolean keeps(@Nullable Object result) {
        if (result instanceof ErrorResponse error) {
            return HttpAnswerCodec.isKept(error.getStatusCode().value());
        }
        return HttpAnswerCodec.isKept(result instanceof ProblemDetail problem ? problem.getStatus() : statusOfMethod);
    }

    @Override
    public byte[] write(@Nullable Object result) {
        return bodies.write(result);
    }

    @Override
    public @Nullable Object read(byte[] content) {
        return bodies.read(content);
    }
}
