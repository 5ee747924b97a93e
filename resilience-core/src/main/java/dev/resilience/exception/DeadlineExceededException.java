package dev.resilience.exception;

/** No time was left before the call's deadline, so the call was not made. */
public final class DeadlineExceededException extends ResilienceException {

    public DeadlineExceededException(String message) {
        super(message);
    }
}
