package dev.resilience.spring.idempotency.http;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * With which status the results of a method are sent.
 *
 * @param ofMethod that of results that have none of their own
 */
record AnswerStatus(int ofMethod) {

    static AnswerStatus of(Method method, Class<?> type) {
        ResponseStatus declared = declared(method, type);
        return new AnswerStatus((declared == null ? HttpStatus.OK : declared.code()).value());
    }

    static @Nullable ResponseStatus declared(Method method, Class<?> type) {
        ResponseStatus ofMethod = AnnotatedElementUtils.findMergedAnnotation(method, ResponseStatus.class);
        return ofMethod != null ? ofMethod : AnnotatedElementUtils.findMergedAnnotation(type, ResponseStatus.class);
    }

    int of(@Nullable Object result) {
        if (result instanceof ResponseEntity<?> answer) {
            return answer.getStatusCode().value();
        }
        if (result instanceof ErrorResponse error) {
            return error.getStatusCode().value();
        }
        return result instanceof ProblemDetail problem ? problem.getStatus() : ofMethod;
    }

    /** Whether an answer is kept: others may well be different at the next try. */
    boolean isKept(@Nullable Object result) {
        return HttpAnswerCodec.isKept(of(result));
    }
}
