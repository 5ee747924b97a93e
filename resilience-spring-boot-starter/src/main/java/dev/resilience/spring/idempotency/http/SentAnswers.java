package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.ResultCodec;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;

/** Keeps the answers of handler methods as the bytes that were sent, so that nothing must be read back as an object. */
public interface SentAnswers {

    /**
     * How the answers of a method are kept.
     *
     * @param type the class of the bean
     * @param result what the method returns, inside a stage if it returns one
     * @return {@code null} if the results of the method are to be kept as objects: the method does not answer requests, or
     *     its results can be read back
     */
    @Nullable
    ResultCodec codec(Method method, Class<?> type, ResolvableType result, Json json);
}
