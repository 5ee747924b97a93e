package dev.resilience.spring.context;

import dev.resilience.pipeline.ContextCarrier;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/** Takes the request along that Spring's {@link RequestContextHolder} knows, and with it beans of its scope. */
public final class RequestContextCarrier implements ContextCarrier {

    @Override
    public Runnable wrap(Runnable task) {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        return () -> {
            RequestAttributes before = RequestContextHolder.getRequestAttributes();
            RequestContextHolder.setRequestAttributes(request);
            try {
                task.run();
            } finally {
                RequestContextHolder.setRequestAttributes(before); // which resets it where there was none
            }
        };
    }
}
