package dev.resilience.spring.idempotency.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Objects;
import java.util.function.Supplier;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * Says in the answer to the request of a call that it is an earlier one's, on whatever thread that turns out. A request
 * may be over by then, because nothing waits for the call, and servers use its objects again for other requests: the
 * answer is that of this request as long as the request has the mark that was set when the call began.
 */
public final class ReplayHeader implements Supplier<Runnable> {

    private static final String NAME = "Idempotency-Replayed";
    private static final String MARK = ReplayHeader.class.getName();

    @Override
    public Runnable get() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            return () -> {};
        }
        HttpServletRequest request = attributes.getRequest();
        HttpServletResponse response = attributes.getResponse();
        Object mark = Objects.requireNonNullElseGet(request.getAttribute(MARK), Object::new);
        request.setAttribute(MARK, mark);
        return () -> {
            if (response != null && has(request, mark)) {
                response.setHeader(NAME, "true");
            }
        };
    }

    private static boolean has(HttpServletRequest request, Object mark) {
        try {
            return request.getAttribute(MARK) == mark;
        } catch (RuntimeException recycled) {
            return false; // as Tomcat says it
        }
    }
}
