/** Where idempotent calls are remembered: the interface of a store, what it is asked and answers, and the store in memory. */
@NullMarked
package dev.resilience.idempotency.store;

import org.jspecify.annotations.NullMarked;
