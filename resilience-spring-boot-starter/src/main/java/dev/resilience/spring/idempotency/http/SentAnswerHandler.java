package dev.resilience.spring.idempotency.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.lang.reflect.Method;
import org.jspecify.annotations.Nullable;
import org.springframework.core.MethodParameter;
import org.springframework.util.Assert;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.method.HandlerMethod;
import org.springframework.web.method.support.HandlerMethodReturnValueHandler;
import org.springframework.web.method.support.ModelAndViewContainer;
import org.springframework.web.servlet.HandlerInterceptor;
import org.springframework.web.servlet.ModelAndView;

/**
 * Sends the bytes that are kept of an answer, in place of what the handler method returned. As an interceptor it does so
 * where Spring MVC hands on no {@code null}: of methods with a {@code @ResponseStatus}.
 *
 * @param others handle all that is not kept as bytes
 */
record SentAnswerHandler(HandlerMethodReturnValueHandler others) implements HandlerMethodReturnValueHandler {

    @Override
    public boolean supportsReturnType(MethodParameter returnType) {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return request != null
                && request.getAttribute(PendingAnswer.ATTRIBUTE, RequestAttributes.SCOPE_REQUEST) != null
                && others.supportsReturnType(returnType);
    }

    @Override
    public void handleReturnValue(
            @Nullable Object returned,
            MethodParameter returnType,
            ModelAndViewContainer container,
            NativeWebRequest request)
            throws Exception {
        HttpServletRequest ofServlet = request.getNativeRequest(HttpServletRequest.class);
        HttpServletResponse response = request.getNativeResponse(HttpServletResponse.class);
        Assert.state(ofServlet != null && response != null, "No servlet request");
        PendingAnswer pending = take(ofServlet, returnType.getMethod(), returned);
        if (pending == null) {
            others.handleReturnValue(returned, returnType, container, request);
        } else {
            container.setRequestHandled(true);
            pending.answer().sendTo(response);
        }
    }

    private static @Nullable PendingAnswer take(
            HttpServletRequest request, @Nullable Method handler, @Nullable Object returned) {
        if (request.getAttribute(PendingAnswer.ATTRIBUTE) instanceof PendingAnswer pending
                && pending.isFor(request, handler, returned)) {
            request.removeAttribute(PendingAnswer.ATTRIBUTE);
            return pending;
        }
        return null;
    }

    /** For what has come to no handler of return values. */
    static final class OfNothing implements HandlerInterceptor {

        @Override
        public void postHandle(
                HttpServletRequest request, HttpServletResponse response, Object handler, @Nullable ModelAndView view)
                throws Exception {
            PendingAnswer pending =
                    handler instanceof HandlerMethod method ? take(request, method.getMethod(), null) : null;
            if (pending != null) {
                pending.answer().sendTo(response);
            }
        }
    }
}
