package dev.resilience.spring.idempotency.http;

import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.fingerprint.NoValues;
import dev.resilience.spring.idempotency.http.HandlerAnswers.AnsweredRequest;
import dev.resilience.spring.idempotency.http.HttpAnswerCodec.Answer;
import dev.resilience.spring.idempotency.json.Json;
import dev.resilience.spring.idempotency.json.ResultCodec;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.support.AopUtils;
import org.springframework.core.ResolvableType;
import org.springframework.http.HttpEntity;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.web.method.HandlerMethod;

/** Answers of a handler method as the bytes that are sent. Of calls that no request makes nothing can be replayed. */
final class SentAnswerCodec implements ResultCodec {

    private final HandlerAnswers handlers;
    private final Method method;
    private final Class<?> type;
    private final ResolvableType declared;
    private final AnswerStatus status;
    private final ResultCodec answers;
    private final ResultCodec values;

    SentAnswerCodec(HandlerAnswers handlers, Method method, Class<?> type, ResolvableType declared, Json json) {
        this.handlers = handlers;
        this.method = AopUtils.getMostSpecificMethod(method, type);
        this.type = type;
        this.declared = declared;
        this.status = AnswerStatus.of(method, type);
        this.answers = json.codec(ResolvableType.forClassWithGenerics(Answer.class, byte[].class));
        this.values = json.codec(ResolvableType.forClass(Object.class));
    }

    @Override
    public ResultCodec ofCall(Invocation call) {
        AnsweredRequest request = handlers.request(this, call);
        return request == null ? this : new OfRequest(request);
    }

    /** Whether this method handles requests itself, and is not called by the handler of one. */
    boolean isOf(HandlerMethod handler) {
        Method handling = handler.getMethod();
        return method.equals(handling)
                || (handling.getDeclaringClass().isAssignableFrom(type)
                        && method.equals(AopUtils.getMostSpecificMethod(handling, type)));
    }

    AnswerType typeOf(Object result) {
        return new AnswerType(method, type, declared, result);
    }

    AnswerStatus status() {
        return status;
    }

    @Override
    public boolean keeps(@Nullable Object result) {
        return status.isKept(result);
    }

    @Override
    public byte[] write(@Nullable Object result) {
        return write(result, null);
    }

    private byte[] write(@Nullable Object result, @Nullable AnsweredRequest request) {
        if (result == null) {
            return answers.write(null);
        }
        Object body = result instanceof HttpEntity<?> entity ? entity.getBody() : result;
        String whyNot = body == null ? null : NoValues.why(body.getClass());
        if (whyNot != null) {
            throw new IllegalStateException("The answer cannot be kept: " + whyNot);
        }
        try {
            SentAnswer answer = request == null ? null : request.answer(result);
            if (answer == null) {
                AnswerStatus known = request == null ? status : new AnswerStatus(request.status());
                answer = handlers.withoutRequest(result, known.of(result));
            }
            return answers.write(answer == null ? asJson(result, body) : answer.kept());
        } catch (RuntimeException failed) {
            throw failed;
        } catch (Exception failed) {
            throw new IllegalStateException("The answer could not be written", failed);
        }
    }

    /** Where there are no converters. */
    private Answer<byte[]> asJson(Object result, @Nullable Object body) {
        HttpHeaders headers = new HttpHeaders();
        if (result instanceof HttpEntity<?> entity) {
            headers.putAll(entity.getHeaders());
        }
        headers.setContentType(MediaType.APPLICATION_JSON);
        byte[] bytes = body == null ? new byte[0] : values.write(body);
        return new SentAnswer(status.of(result), headers, bytes).kept();
    }

    @Override
    public @Nullable Object read(byte[] content) {
        if (answer(content) != null) {
            throw new IllegalStateException("The answer of " + method + " is kept as the bytes that were sent, because "
                    + "its body has no class to be read back as, and is given to requests alone, not to a caller in the "
                    + "application. Give @Idempotent a resultType, or declare the class of the body");
        }
        return null;
    }

    @SuppressWarnings("unchecked") // of the type of the codec
    private @Nullable SentAnswer answer(byte[] content) {
        Answer<byte[]> kept = (Answer<byte[]>) answers.read(content);
        return kept == null ? null : SentAnswer.of(kept);
    }

    /** For a call that answers a request. Its answer may be asked for again, by the end of a transaction and of the call. */
    private final class OfRequest implements ResultCodec {

        private final AnsweredRequest request;
        private volatile @Nullable Known known;

        OfRequest(AnsweredRequest request) {
            this.request = request;
        }

        @Override
        public boolean keeps(@Nullable Object result) {
            return new AnswerStatus(request.status()).isKept(result);
        }

        @Override
        public byte[] write(@Nullable Object result) {
            Known before = known;
            if (before != null && before.result == result) {
                return before.content;
            }
            byte[] content = SentAnswerCodec.this.write(result, request);
            known = new Known(result, content);
            return content;
        }

        @Override
        public @Nullable Object read(byte[] content) {
            request.replay(SentAnswerCodec.this.answer(content));
            known = new Known(null, content);
            return null;
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Known(@Nullable Object result, byte[] content) {}
}
