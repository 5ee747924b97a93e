/** Circuit breakers as a kind of protection. */
@NullMarked
package dev.resilience.spring.circuitbreaker;

import org.jspecify.annotations.NullMarked;
