package dev.resilience.spring.web;

import dev.resilience.context.CallContext;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Collections;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.springframework.core.Ordered;
import org.springframework.web.context.request.NativeWebRequest;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.async.CallableProcessingInterceptor;
import org.springframework.web.filter.OncePerRequestFilter;

/**
 * Makes the deadline of a request, and that it is a repetition, known to what is called while it is handled, in
 * asynchronous and error dispatches too. Comes early, for the time that other filters take counts.
 */
public final class CallContextServletFilter extends OncePerRequestFilter implements Ordered {

    /** Where a request keeps its context: a later dispatch must not read the headers again and start the clock anew. */
    static final String ATTRIBUTE = CallContext.class.getName();

    private final CallContextExtractor calls;

    public CallContextServletFilter(CallContextExtractor calls) {
        this.calls = calls;
    }

    @Override
    public int getOrder() {
        return HIGHEST_PRECEDENCE + 10;
    }

    @Override
    protected boolean shouldNotFilterAsyncDispatch() {
        return false;
    }

    @Override
    protected boolean shouldNotFilterErrorDispatch() {
        return false;
    }

    @Override
    protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain chain)
            throws ServletException, IOException {
        CallContext before = CallContext.current();
        contextOf(request).makeCurrent();
        try {
            chain.doFilter(request, response);
        } finally {
            before.makeCurrent();
        }
    }

    private CallContext contextOf(HttpServletRequest request) {
        if (request.getAttribute(ATTRIBUTE) instanceof CallContext known) {
            return known;
        }
        CallContext context = calls.context(name -> Collections.list(request.getHeaders(name)));
        request.setAttribute(ATTRIBUTE, context);
        return context;
    }

    /** Takes the context of a call along where Spring MVC runs what a controller returned on another thread. */
    public static final class OnOtherThreads implements CallableProcessingInterceptor {

        @Override
        public <T> void preProcess(NativeWebRequest request, Callable<T> task) {
            if (request.getAttribute(ATTRIBUTE, RequestAttributes.SCOPE_REQUEST) instanceof CallContext ofRequest) {
                ofRequest.makeCurrent();
            }
        }

        @Override
        public <T> void postProcess(NativeWebRequest request, Callable<T> task, @Nullable Object result) {
            CallContext.NONE.makeCurrent();
        }
    }
}
