package dev.resilience.spring.idempotency.http;

import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;

/**
 * What is to be sent when the handler method of a request has returned a certain result, in place of that.
 *
 * @param handler the method
 * @param result which the method has returned; {@code null} stands for the answer of an earlier call
 */
record PendingAnswer(Method handler, @Nullable Object result, SentAnswer answer) {

    /** Of the request. */
    static final String ATTRIBUTE = PendingAnswer.class.getName();

    boolean isFor(@Nullable Method method, @Nullable Object returned) {
        return result == returned && handler.equals(method);
    }
}
