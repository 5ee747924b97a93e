package dev.resilience.spring.idempotency;

import jakarta.servlet.http.HttpServletResponse;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Says in the answer to the current request that it is an earlier one's. */
final class ReplayHeader implements Runnable {

    private static final String NAME = "Idempotency-Replayed";

    @Override
    public void run() {
        if (RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes) {
            HttpServletResponse response = attributes.getResponse();
            if (response != null) {
                response.setHeader(NAME, "true");
            }
        }
    }
}
