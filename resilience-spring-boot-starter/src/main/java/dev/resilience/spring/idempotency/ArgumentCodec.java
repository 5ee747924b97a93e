package dev.resilience.spring.idempotency;

import org.jspecify.annotations.Nullable;

/** How the arguments of one method become bytes. */
interface ArgumentCodec {

    /** Arguments as bytes that are equal whenever the arguments are. */
    byte[] write(@Nullable Object[] arguments);
}
