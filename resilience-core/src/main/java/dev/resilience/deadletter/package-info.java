/** Calls that ran out of retries and are kept for a later replay: what is kept, and the interface of a store. */
@NullMarked
package dev.resilience.deadletter;

import org.jspecify.annotations.NullMarked;
