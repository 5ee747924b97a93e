package dev.resilience.spring.idempotency.http.request;

import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/**
 * The request that a call came with. It may be over before the call has ended, because nothing waits for the call, and
 * servers use its objects again for other requests: it is this request as long as it has the mark that was set when the
 * call began, and the dispatch of then. In a later dispatch it gets another answer: it has timed out, or failed.
 */
public record LiveRequest(
        HttpServletRequest request, HttpServletResponse response, Object mark, DispatcherType dispatch) {

    private static final String MARK = ReplayHeader.class.getName();

    /** That of the current thread, with its mark. */
    public static @Nullable LiveRequest current() {
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
        return new LiveRequest(request, response, mark, request.getDispatcherType());
    }

    /** Whether a request at hand is this one. */
    public boolean isIn(HttpServletRequest atHand) {
        try {
            return atHand.getAttribute(MARK) == mark;
        } catch (RuntimeException recycled) {
            return false; // as Tomcat says it
        }
    }

    private boolean isLive() {
        try {
            return isIn(request) && request.getDispatcherType() == dispatch;
        } catch (RuntimeException recycled) {
            return false;
        }
    }

    /**
     * What is made with the request.
     *
     * @return {@code null} if the request is over, or ends meanwhile: what its objects say or throw then means nothing
     */
    public <T, E extends Exception> @Nullable T whileLive(Use<T, E> use) throws E {
        if (!isLive()) {
            return null;
        }
        try {
            T made = use.make();
            return isLive() ? made : null;
        } catch (RuntimeException failed) {
            if (isLive()) {
                throw failed;
            }
            return null;
        }
    }

    /** Of the request. */
    public interface Use<T, E extends Exception> {

        @Nullable
        T make() throws E;
    }
}
