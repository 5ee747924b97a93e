package dev.resilience.spring.web;

import dev.resilience.context.CallContext;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;

/** Takes the context of a call along where Spring MVC runs what a controller returned on another thread. */
public final class CallContextCallableInterceptor implements CallableProcessingInterceptor {

    @Override
    public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
        Object context = request.getAttribute(CallContextServletFilter.ATTRIBUTE, RequestAttributes.SCOPE_REQUEST);
        if (context instanceof CallContext ofRequest) {
            ofRequest.makeCurrent();
        }
    }

    @Override
    public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
        CallContext.NONE.makeCurrent();
    }
}
