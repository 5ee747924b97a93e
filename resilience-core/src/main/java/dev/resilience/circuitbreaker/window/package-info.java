/** The recent calls that a circuit breaker takes its rates over. */
@NullMarked
package dev.resilience.circuitbreaker.window;

import org.jspecify.annotations.NullMarked;
