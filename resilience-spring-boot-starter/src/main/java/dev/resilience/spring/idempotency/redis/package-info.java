/** Records of idempotent calls in Redis. */
@NullMarked
package dev.resilience.spring.idempotency.redis;

import org.jspecify.annotations.NullMarked;
