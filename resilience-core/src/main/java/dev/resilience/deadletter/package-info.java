/** Calls that ran out of retries and are kept for a later replay: what is kept, the interface of a store, and the store in memory. */
@NullMarked
package dev.resilience.deadletter;

import org.jspecify.annotations.NullMarked;
