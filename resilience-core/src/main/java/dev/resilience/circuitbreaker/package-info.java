/** Circuit breaker: stops calling what is down, and finds out carefully when it is back. */
@NullMarked
package dev.resilience.circuitbreaker;

import org.jspecify.annotations.NullMarked;
