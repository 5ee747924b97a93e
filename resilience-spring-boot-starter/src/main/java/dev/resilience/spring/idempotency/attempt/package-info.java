/** The attempts of an idempotent call, whose transactions store its result, or take it back. */
@NullMarked
package dev.resilience.spring.idempotency.attempt;

import org.jspecify.annotations.NullMarked;
