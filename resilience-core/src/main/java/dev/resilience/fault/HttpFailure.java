package dev.resilience.fault;

import org.jspecify.annotations.Nullable;

/**
 * What the answer of a failed HTTP exchange says about another attempt.
 *
 * @param status the status code
 * @param retryAfter the {@code Retry-After} header as it came, if there was one
 * @param retry the {@value #RETRY_HEADER} header as it came, if there was one
 */
public record HttpFailure(
        int status, @Nullable String retryAfter, @Nullable String retry) {

    /** The header by which an answer asks its receiver not to repeat the request. */
    public static final String RETRY_HEADER = "X-Resilience-Retry";

    /** The value of the header that asks for it, in whatever case; others mean nothing. */
    public static final String RETRY_REFUSED = "no";

    /**
     * The value that this library's own clients put into an answer whose request they have repeated in vain. Callers in the same
     * process may repeat it; an answer to another process that is made of it refuses retries.
     */
    public static final String RETRY_EXHAUSTED = "exhausted";

    /** An answer that does not refuse retries. */
    public HttpFailure(int status, @Nullable String retryAfter) {
        this(status, retryAfter, null);
    }

    /**
     * Whether the callee has retried the work itself or refuses it, so that no retry repeats the request unless the application
     * says otherwise.
     */
    public boolean retryRefused() {
        return RETRY_REFUSED.equalsIgnoreCase(retry);
    }

    /** Finds the HTTP answer inside a client library's exception; one for each client that is known. */
    @FunctionalInterface
    public interface Reader {

        /** The answer that this very exception (not its causes) carries, or {@code null} if it carries none. */
        @Nullable
        HttpFailure read(Throwable failure);
    }
}
