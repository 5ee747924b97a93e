/** Records of idempotent calls in Redis. */
@NullMarked
package dev.resilience.spring.redis;

import org.jspecify.annotations.NullMarked;
