package dev.resilience.spring.idempotency.http.request;

import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** The servlet request of the current thread. */
public final class CurrentServletRequest {

    private CurrentServletRequest() {}

    /** All values of a header; {@code null} if there is no request. */
    public static @Nullable List<String> header(String name) {
        return RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                ? Collections.list(attributes.getRequest().getHeaders(name))
                : null;
    }
}
