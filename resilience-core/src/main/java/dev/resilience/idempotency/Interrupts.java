package dev.resilience.idempotency;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Interrupts of the caller's thread, which are about what the caller does, and not about its record. */
final class Interrupts {

    private Interrupts() {}

    /** Does something that an interrupt which has come before it does not disturb; it is there again afterwards. */
    static <T extends @Nullable Object> T putOff(Supplier<T> action) {
        boolean interrupted = Thread.interrupted();
        try {
            return action.get();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
