package dev.resilience.deadletter;

import dev.resilience.log.LoggedFailure;

/**
 * How an attempt ended, as far as it is kept.
 *
 * @param type the class name of the exception; what is longer than {@value #MAX_TYPE} characters is cut off
 * @param message its message and its root cause, empty for none; what is longer than {@value #MAX_MESSAGE} characters is
 *     cut off
 */
public record LetterFailure(String type, String message) {

    /** The longest class name. */
    public static final int MAX_TYPE = 500;

    /** The longest message. */
    public static final int MAX_MESSAGE = 1_000;

    public LetterFailure {
        type = LoggedFailure.cut(type, MAX_TYPE);
        message = LoggedFailure.cut(message, MAX_MESSAGE);
    }

    /** How an attempt failed. */
    public static LetterFailure of(Throwable failure) {
        LoggedFailure safe = LoggedFailure.of(failure, MAX_MESSAGE);
        String cause = safe.rootCause() == null ? "" : ", caused by " + safe.rootCause();
        return new LetterFailure(safe.type(), safe.message() + cause);
    }
}
