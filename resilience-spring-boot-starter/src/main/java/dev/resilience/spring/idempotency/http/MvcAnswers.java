package dev.resilience.spring.idempotency.http;

import dev.resilience.pipeline.Invocation;
import dev.resilience.spring.idempotency.http.request.LiveRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.HandlerMethodReturnValueHandlerComposite;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.HandlerMapping;
import org.springframework.web.servlet.mvc.method.annotation.RequestMappingHandlerAdapter;

/** {@link HandlerAnswers} of Spring MVC. */
public final class MvcAnswers extends HandlerAnswers implements BeanPostProcessor {

    private static final String MAIN = "requestMappingHandlerAdapter";

    private volatile @Nullable AnswerWriter writer;

    /** Sends what Spring MVC takes for nothing. */
    public static HandlerInterceptor interceptor() {
        return new SentAnswerHandler.OfNothing();
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        if (bean instanceof RequestMappingHandlerAdapter adapter && adapter.getReturnValueHandlers() != null) {
            List<HandlerMethodReturnValueHandler> handlers = new ArrayList<>(adapter.getReturnValueHandlers());
            HandlerMethodReturnValueHandler others =
                    new HandlerMethodReturnValueHandlerComposite().addHandlers(List.copyOf(handlers));
            handlers.add(0, new SentAnswerHandler(others));
            adapter.setReturnValueHandlers(handlers);
            if (writer == null || beanName.equals(MAIN)) {
                writer = new AnswerWriter(others, adapter.getMessageConverters());
            }
        }
        return bean;
    }

    @Override
    @Nullable
    AnsweredRequest request(SentAnswerCodec codec, Invocation call) {
        LiveRequest request = LiveRequest.current();
        AnswerWriter toBytes = writer;
        return request != null
                        && toBytes != null
                        && request.request().getAttribute(HandlerMapping.BEST_MATCHING_HANDLER_ATTRIBUTE)
                                instanceof HandlerMethod handler
                        && codec.isOf(handler)
                ? new OfServlet(request, handler.getMethod(), toBytes, codec)
                : null;
    }

    /** {@code null} in an application that answers no requests, and so calls its controllers itself. */
    @Override
    @Nullable
    SentAnswer withoutRequest(Object result, int status) throws Exception {
        AnswerWriter toBytes = writer;
        return toBytes == null ? null : toBytes.answer(result, status);
    }

    private record OfServlet(LiveRequest request, Method handler, AnswerWriter writer, SentAnswerCodec codec)
            implements AnsweredRequest {

        /** Spring MVC sets that of a {@code @ResponseStatus} when the handler has returned, in place of the handler's. */
        @Override
        public int status() {
            int ofMethod = codec.status().ofMethod();
            Integer set = ofMethod == HttpServletResponse.SC_OK
                    ? request.whileLive(() -> request.response().getStatus())
                    : null;
            return set == null ? ofMethod : set;
        }

        @Override
        public @Nullable SentAnswer answer(Object result) throws Exception {
            return request.whileLive(
                    () -> sendLater(result, writer.answer(request, result, codec.typeOf(result), status())));
        }

        /** Nothing stands for an earlier answer, which is no object of any type. */
        @Override
        public void replay(@Nullable SentAnswer answer) {
            request.whileLive(() -> sendLater(null, answer));
        }

        private @Nullable SentAnswer sendLater(@Nullable Object result, @Nullable SentAnswer answer) {
            if (answer != null) {
                PendingAnswer pending = new PendingAnswer(request, handler, result, answer);
                request.request().setAttribute(PendingAnswer.ATTRIBUTE, pending);
            }
            return answer;
        }
    }
}
