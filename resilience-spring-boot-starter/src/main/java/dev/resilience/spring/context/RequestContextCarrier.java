package dev.resilience.spring.context;

import dev.resilience.context.ContextCarrier;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Takes the request along that Spring's {@link RequestContextHolder} knows, and with it beans of its scope; and its
 * language, which Spring binds to the thread beside it.
 */
public final class RequestContextCarrier implements ContextCarrier {

    @Override
    public Runnable wrap(Runnable task) {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        LocaleContext locale = LocaleContextHolder.getLocaleContext();
        return () -> {
            RequestAttributes requestBefore = RequestContextHolder.getRequestAttributes();
            LocaleContext localeBefore = LocaleContextHolder.getLocaleContext();
            RequestContextHolder.setRequestAttributes(request);
            LocaleContextHolder.setLocaleContext(locale);
            try {
                task.run();
            } finally {
                LocaleContextHolder.setLocaleContext(localeBefore);
                RequestContextHolder.setRequestAttributes(requestBefore); // either resets it where there was none
            }
        };
    }
}
