package dev.resilience.exception;

import org.jspecify.annotations.Nullable;

/** The supertype of everything that the library itself throws at a caller of a protected method. */
public abstract class ResilienceException extends RuntimeException {

    ResilienceException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    ResilienceException(String message) {
        this(message, null);
    }
}
