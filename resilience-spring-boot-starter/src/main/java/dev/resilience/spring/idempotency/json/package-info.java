/** Results as JSON and back, without loss. */
@NullMarked
package dev.resilience.spring.idempotency.json;

import org.jspecify.annotations.NullMarked;
