/** Bulkheads as a kind of protection. */
@NullMarked
package dev.resilience.spring.bulkhead;

import org.jspecify.annotations.NullMarked;
