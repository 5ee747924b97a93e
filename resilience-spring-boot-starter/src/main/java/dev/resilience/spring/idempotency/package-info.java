/** What an idempotent method has of its own: key, caller, fingerprint and stored result. */
@NullMarked
package dev.resilience.spring.idempotency;

import org.jspecify.annotations.NullMarked;
