package dev.resilience.simulation;

import dev.resilience.fault.HttpFailure;
import java.net.ConnectException;
import org.jspecify.annotations.Nullable;

/**
 * What comes back over HTTP.
 *
 * @param status the status code, 0 where there was nobody to connect to
 * @param retryAfter the header, if there was one
 * @param retryRefused whether it says {@code X-Resilience-Retry: no}
 */
record Answer(int status, @Nullable String retryAfter, boolean retryRefused) {

    static final Answer OK = new Answer(200, null, false);
    static final Answer CONNECTION_REFUSED = new Answer(0, null, false);

    boolean isOk() {
        return status == 200;
    }

    /** What an HTTP client throws when it gets this. */
    Exception failure() {
        return status == 0 ? new Refused() : new HttpError(this);
    }

    /** How the library finds the answer in the exception of this client. */
    static @Nullable HttpFailure read(Throwable failure) {
        return failure instanceof HttpError error
                ? new HttpFailure(
                        error.answer.status,
                        error.answer.retryAfter,
                        error.answer.retryRefused ? HttpFailure.RETRY_REFUSED : null)
                : null;
    }

    /** Without a stack trace, which takes longer than the call that it tells of. */
    static final class HttpError extends Exception {

        private final transient Answer answer;

        HttpError(Answer answer) {
            super("HTTP " + answer.status, null, false, false);
            this.answer = answer;
        }
    }

    private static final class Refused extends ConnectException {

        Refused() {
            super("Connection refused");
        }

        @Override
        public synchronized Throwable fillInStackTrace() {
            return this;
        }
    }
}
