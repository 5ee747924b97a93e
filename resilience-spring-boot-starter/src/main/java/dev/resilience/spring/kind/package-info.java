/** What a kind of protection is: everything that differs between retries, circuit breakers, bulkheads and the others. */
@NullMarked
package dev.resilience.spring.kind;

import org.jspecify.annotations.NullMarked;
