/** Permits of shared rate limits in Redis. */
@NullMarked
package dev.resilience.spring.ratelimit.redis;

import org.jspecify.annotations.NullMarked;
