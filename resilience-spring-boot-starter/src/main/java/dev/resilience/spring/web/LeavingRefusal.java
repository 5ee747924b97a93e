package dev.resilience.spring.web;

import dev.resilience.exception.ResilienceException;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.AnnotatedElementUtils;
import org.springframework.web.ErrorResponse;
import org.springframework.web.bind.annotation.ResponseStatus;

/** Finds the refusal that makes a controller fail. */
final class LeavingRefusal {

    /** Causes may be a circle. */
    private static final int LONGEST = 50;

    private LeavingRefusal() {}

    /**
     * The outermost refusal among an exception and its causes. {@code null} if there is none, or if an exception around
     * it says itself which status it is answered with.
     */
    static @Nullable ResilienceException in(Throwable exception) {
        int links = 0;
        for (Throwable at = exception; at != null && links < LONGEST; at = at.getCause()) {
            links++;
            if (at instanceof ResilienceException refusal) {
                return refusal;
            }
            if (at instanceof ErrorResponse
                    || AnnotatedElementUtils.hasAnnotation(at.getClass(), ResponseStatus.class)) {
                return null;
            }
        }
        return null;
    }
}
