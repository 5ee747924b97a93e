package dev.resilience.idempotency;

import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Puts off interrupts of the caller's thread, which are about what the caller does, and not about its record. */
final class Uninterruptibly {

    private Uninterruptibly() {}

    /** Does something that an interrupt which has come before it does not disturb; it is there again afterwards. */
    static <T extends @Nullable Object> T call(Supplier<T> action) {
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
