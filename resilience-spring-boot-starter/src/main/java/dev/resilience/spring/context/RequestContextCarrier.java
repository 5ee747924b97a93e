package dev.resilience.spring.context;

import dev.resilience.context.ContextCarrier;
import org.jspecify.annotations.Nullable;
import org.springframework.context.i18n.LocaleContext;
import org.springframework.context.i18n.LocaleContextHolder;
import org.springframework.web.context.request.RequestAttributes;
import org.springframework.web.context.request.RequestContextHolder;

/**
 * Takes the request along that Spring's {@link RequestContextHolder} knows, and with it beans of its scope; and its
 * language, which Spring binds to the thread beside it.
 */
public final class RequestContextCarrier implements ContextCarrier {

    private final SharedTask withoutRequest = new SharedTask();

    @Override
    public Runnable wrap(Runnable task) {
        RequestAttributes request = RequestContextHolder.getRequestAttributes();
        LocaleContext locale = LocaleContextHolder.getLocaleContext();
        return request == null && locale == null
                ? withoutRequest.of(task, () -> with(null, null, task))
                : with(request, locale, task);
    }

    private static Runnable with(@Nullable RequestAttributes request, @Nullable LocaleContext locale, Runnable task) {
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
