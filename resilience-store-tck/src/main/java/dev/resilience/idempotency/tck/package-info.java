/** The tests that every idempotency store must pass: the library's own, and a store of yours. */
@NullMarked
package dev.resilience.idempotency.tck;

import org.jspecify.annotations.NullMarked;
