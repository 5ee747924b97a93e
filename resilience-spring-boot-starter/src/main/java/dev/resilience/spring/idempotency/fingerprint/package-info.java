/** Arguments as bytes, by type and state, so that calls with equal arguments are recognised. */
@NullMarked
package dev.resilience.spring.idempotency.fingerprint;

import org.jspecify.annotations.NullMarked;
