package dev.resilience.spring.idempotency.http;

import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.fingerprint.NoValues;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.ResultCodec;
import dev.resilience.spring.kind.AsyncMethods;
import java.lang.reflect.Method;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.core.ResolvableType;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.http.HttpEntity;
import org.springframework.http.ResponseEntity;
import org.springframework.stereotype.Controller;
import org.springframework.util.StringUtils;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseBody;
import org.springframework.web.bind.annotation.ResponseStatus;

/**
 * Answers of annotated handler methods as the bytes that were sent: where no class says how a body is to be read back,
 * it is turned into bytes when the call has ended, and these are both stored and sent.
 */
abstract class HandlerAnswers implements SentAnswers {

    /** Of both versions of Jackson: read back, a number may have other digits than it was sent with. */
    private static final Set<String> TREES =
            Set.of("tools.jackson.databind.JsonNode", "com.fasterxml.jackson.databind.JsonNode");

    /** The request that a call of a codec's method answers; {@code null} if it answers none. */
    abstract @Nullable AnsweredRequest request(SentAnswerCodec codec, Invocation call);

    /** An answer for no request; {@code null} if there is nothing to write it with. */
    abstract @Nullable SentAnswer withoutRequest(Object result, int status) throws Exception;

    /** A request, to which a call's answer is sent once its handler has ended. */
    interface AnsweredRequest {

        /** The status of results that have none of their own: the one that the handler has set, or that of the method. */
        int status();

        /**
         * The answer to this request, which is sent if the handler ends with the result.
         *
         * @return {@code null} if the request is over, or wants none of what the result can be written as
         */
        @Nullable
        SentAnswer answer(Object result) throws Exception;

        /** An earlier call's answer is sent if the handler ends with nothing. */
        void replay(@Nullable SentAnswer answer);
    }

    @Override
    public @Nullable ResultCodec codec(Method method, Class<?> type, ResolvableType result, Json json) {
        boolean isEntity = result.resolve() == ResponseEntity.class;
        ResolvableType body = isEntity ? result.getGeneric() : result;
        boolean isWanted = isHandler(method, type)
                && (isEntity || isBody(method, type))
                && !isSentOtherwise(body.resolve(Object.class))
                && (isTree(body) || json.whyNotReadable(body) != null);
        return isWanted ? new SentAnswerCodec(this, method, type, result, json) : null;
    }

    private static boolean isHandler(Method method, Class<?> type) {
        ResponseStatus status = AnswerStatus.declared(method, type);
        return AnnotatedElementUtils.hasAnnotation(type, Controller.class)
                && AnnotatedElementUtils.hasAnnotation(method, RequestMapping.class)
                && (status == null || !StringUtils.hasText(status.reason())) // which is sent in place of the body
                && !AsyncMethods.is(method, type); // it knows no request
    }

    private static boolean isBody(Method method, Class<?> type) {
        return AnnotatedElementUtils.hasAnnotation(method, ResponseBody.class)
                || AnnotatedElementUtils.hasAnnotation(type, ResponseBody.class);
    }

    private static boolean isSentOtherwise(Class<?> body) {
        return body == void.class
                || body == Void.class
                || HttpEntity.class.isAssignableFrom(body)
                || NoValues.why(body) != null;
    }

    private static boolean isTree(ResolvableType type) {
        for (Class<?> raw = type.resolve(); raw != null; raw = raw.getSuperclass()) {
            if (TREES.contains(raw.getName())) {
                return true;
            }
        }
        for (ResolvableType generic : type.getGenerics()) {
            if (isTree(generic)) {
                return true;
            }
        }
        return type.isArray() && isTree(type.getComponentType());
    }
}
