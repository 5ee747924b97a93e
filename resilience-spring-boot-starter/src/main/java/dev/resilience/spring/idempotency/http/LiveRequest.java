package dev.resilience.spring.idempotency.http;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The request that a call came with. It may be over before the call has ended, because nothing waits for the call, and
 * servers use its objects again for other requests: it is this request as long as it has the mark that was set when the
 * call began.
 */
record LiveRequest(HttpServletRequest request, HttpServletResponse response, Object mark) {

    private static final String MARK = ReplayHeader.class.getName();

    /** That of the current thread, with its mark. */
    static @Nullable LiveRequest current() {
        if (!(RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes)) {
            return null;
        }
        HttpServletResponse response = attributes.getResponse();
        if (response == null) {
            return null;
        }
        HttpServletRequest request = attributes.getRequest();
        Object mark = Objects.requireNonNullElseGet(request.getAttribute(MARK), Object::new);
        request.setAttribute(MARK, mark);
        return new LiveRequest(request, response, mark);
    }

    boolean isLive() {
        try {
            return request.getAttribute(MARK) == mark;
        } catch (RuntimeException recycled) {
            return false; // as Tomcat says it
        }
    }
}
