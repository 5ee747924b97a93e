package dev.resilience.exception;

import dev.resilience.fault.Fault;
import dev.resilience.fault.TransientFault;
import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The supertype of everything that the library itself throws at a caller of a protected method. */
public abstract class ResilienceException extends RuntimeException {

    private final Fault faultOfAttempt;

    /**
     * Whether the failure is a refusal: the library did not let the call through, so it says nothing about the callee.
     * Retrying it inside the layer that refused would only be refused again.
     */
    public static boolean isRefusal(Throwable failure) {
        return failure instanceof ResilienceException && !(failure instanceof TransientFault);
    }

    /**
     * What kind of fault another attempt of the same call would meet: permanent, unless only the attempt was refused that
     * this ended, and not the call. Unknown if the causes tell.
     */
    public Fault faultOfAttempt() {
        return faultOfAttempt;
    }

    /** After what time another call may be let through; {@code null} if no time is the reason why this one was not. */
    public @Nullable Duration retryAfter() {
        return null;
    }

    /**
     * Whether the same call is let through after {@link #retryAfter()}, however often it was refused before: a message keeps its
     * delivery until then.
     */
    public boolean isPostponed() {
        return false;
    }

    /** What an HTTP answer says about the refusal besides its status and {@code Retry-After}: header fields by name. */
    public Map<String, String> httpFields() {
        return Map.of();
    }

    /**
     * What may be told to callers over a network: the message, unless that names exceptions and rules inside the
     * application.
     */
    public String publicMessage() {
        return String.valueOf(getMessage());
    }

    ResilienceException(String message, @Nullable Throwable cause, Fault faultOfAttempt) {
        super(message, cause);
        this.faultOfAttempt = faultOfAttempt;
    }

    ResilienceException(String message, @Nullable Throwable cause) {
        this(message, cause, Fault.PERMANENT);
    }

    ResilienceException(String message) {
        this(message, null);
    }
}
