package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.http.request.LiveRequest;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * What is to be sent when the handler method of a request has returned a certain result, in place of that.
 *
 * @param to the request
 * @param handler the method
 * @param result which the method has returned; {@code null} stands for the answer of an earlier call
 */
record PendingAnswer(
        LiveRequest to, Method handler, @Nullable Object result, SentAnswer answer) {

    /** Of the request. */
    static final String ATTRIBUTE = PendingAnswer.class.getName();

    /** A server may have given the objects of the request to another one just before this was set. */
    boolean isFor(HttpServletRequest request, @Nullable Method method, @Nullable Object returned) {
        return to.isIn(request) && result == returned && handler.equals(method);
    }
}
