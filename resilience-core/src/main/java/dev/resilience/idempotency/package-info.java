/** Idempotency: one effect per key. */
@NullMarked
package dev.resilience.idempotency;

import org.jspecify.annotations.NullMarked;
