package dev.resilience.deadletter;

import org.jspecify.annotations.Nullable;

/**
 * A letter of which this application can make no call: its code has changed, it has not changed yet as where two versions run
 * side by side, or the letter is another application's. The call was not made. The message says why, without arguments.
 */
public final class UnreadableLetterException extends RuntimeException {

    private static final long serialVersionUID = 1;

    public UnreadableLetterException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
