package dev.resilience.deadletter;

import org.jspecify.annotations.Nullable;

/** A letter of which the application can make no call any more, because its code has changed. The message says why. */
public final class UnreadableLetterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public UnreadableLetterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
