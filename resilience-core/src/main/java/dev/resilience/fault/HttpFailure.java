package dev.resilience.fault;

import org.jspecify.annotations.Nullable;

/**
 * The status and the {@code Retry-After} of a failed HTTP exchange.
 *
 * @param status the status code
 * @param retryAfter the {@code Retry-After} header as it came, if there was one
 */
public record HttpFailure(int status, @Nullable String retryAfter) {

    /** Finds the HTTP answer inside a client library's exception; one for each client that is known. */
    @FunctionalInterface
    public interface Reader {

        /** The answer that this very exception (not its causes) carries, or {@code null} if it carries none. */
        @Nullable
        HttpFailure read(Throwable failure);
    }
}
