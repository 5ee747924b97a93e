package dev.resilience.spring.idempotency;

import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Supplier;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** Says in the answer to the request of a call that it is an earlier one's, on whatever thread that turns out. */
final class ReplayHeader implements Supplier<Runnable> {

    private static final String NAME = "Idempotency-Replayed";

    @Override
    public Runnable get() {
        HttpServletResponse response =
                RequestContextHolder.getRequestAttributes() instanceof ServletRequestAttributes attributes
                        ? attributes.getResponse()
                        : null;
        return () -> {
            if (response != null) {
                response.setHeader(NAME, "true");
            }
        };
    }
}
