package dev.resilience.spring.idempotency;

import dev.resilience.pipeline.Invocation;
import org.jspecify.annotations.Nullable;

/** A call that may run on another thread than the one that made it. */
public interface MovedCall extends Invocation {

    /** What was asked where the call was made; {@code null} if that was not done. */
    @Nullable
    CallIdentity identity();

    /** Whether the call was moved to another thread before any of this library's advice. */
    boolean isMoved();
}
