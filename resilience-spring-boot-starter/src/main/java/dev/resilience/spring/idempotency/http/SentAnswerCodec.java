package dev.resilience.spring.idempotency.http;

import dev.resilience.spring.idempotency.fingerprint.NoValues;
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
import org.springframework.web.servlet.HandlerMapping;

/** Answers of a handler method as the bytes that are sent. Of calls that no request makes nothing can be replayed. */
final class SentAnswerCodec implements ResultCodec {

    private final MvcAnswers mvc;
    private final Method method;
    private final Class<?> type;
    private final ResolvableType declared;
    private final AnswerStatus status;
    private final ResultCodec answers;
    private final ResultCodec values;

    SentAnswerCodec(MvcAnswers mvc, Method method, Class<?> type, ResolvableType declared, Json json) {
        this.mvc = mvc;
        this.method = AopUtils.getMostSpecificMethod(method, type);
        this.type = type;
        this.declared = declared;
        this.status = AnswerStatus.of(method, type);
        this.answers = json.codec(ResolvableType.forClassWithGenerics(Answer.class, byte[].class));
        this.values = json.codec(ResolvableType.forClass(Object.class));
    }

    @Override
    public ResultCodec ofCall() {
        LiveRequest request = LiveRequest.current();
        return request != null
                        && request.request().getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)
                                instanceof HandlerMethod handler
                        && isThis(handler)
                ? new OfRequest(request, handler.getMethod())
                : this;
    }

    /** It may also be called by the handler of a request. */
    private boolean isThis(HandlerMethod handler) {
        Method handling = handler.getMethod();
        return method.equals(handling)
                || (handling.getDeclaringClass().isAssignableFrom(type)
                        && method.equals(AopUtils.getMostSpecificMethod(handling, type)));
    }

    @Override
    public boolean keeps(@Nullable Object result) {
        return status.isKept(result);
    }

    @Override
    public byte[] write(@Nullable Object result) {
        return write(result, null);
    }

    private byte[] write(@Nullable Object result, @Nullable OfRequest call) {
        if (result == null) {
            return answers.write(null);
        }
        Object body = result instanceof HttpEntity<?> entity ? entity.getBody() : result;
        String whyNot = body == null ? null : NoValues.why(body.getClass());
        if (whyNot != null) {
            throw new IllegalStateException("The answer cannot be kept: " + whyNot);
        }
        try {
            AnswerWriter writer = mvc.writer();
            if (writer == null) {
                return answers.write(asJson(result, body));
            }
            SentAnswer answer = call == null ? null : call.answer(result, writer);
            SentAnswer kept = answer == null ? writer.answer(result, status.of(result)) : answer;
            return answers.write(kept.kept());
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

        private final LiveRequest request;
        private final Method handler;
        private volatile @Nullable Known known;

        OfRequest(LiveRequest request, Method handler) {
            this.request = request;
            this.handler = handler;
        }

        @Override
        public boolean keeps(@Nullable Object result) {
            return SentAnswerCodec.this.keeps(result);
        }

        @Override
        public byte[] write(@Nullable Object result) {
            Known before = known;
            if (before != null && before.result == result) {
                return before.content;
            }
            byte[] content = SentAnswerCodec.this.write(result, this);
            known = new Known(result, content);
            return content;
        }

        /** Made for this request, which gets it when its handler has returned this result. */
        @Nullable
        SentAnswer answer(Object result, AnswerWriter writer) throws Exception {
            AnswerType ofResult = new AnswerType(method, type, declared, result);
            return request.whileLive(
                    () -> sendLater(result, writer.answer(request, result, ofResult, status.ofMethod())));
        }

        /** Nothing stands for an earlier answer, which is no object of any type. */
        @Override
        public @Nullable Object read(byte[] content) {
            SentAnswer answer = SentAnswerCodec.this.answer(content);
            request.whileLive(() -> sendLater(null, answer));
            known = new Known(null, content);
            return null;
        }

        private @Nullable SentAnswer sendLater(@Nullable Object result, @Nullable SentAnswer answer) {
            if (answer != null) {
                PendingAnswer pending = new PendingAnswer(request, handler, result, answer);
                request.request().setAttribute(PendingAnswer.ATTRIBUTE, pending);
            }
            return answer;
        }
    }

    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Known(@Nullable Object result, byte[] content) {}
}
