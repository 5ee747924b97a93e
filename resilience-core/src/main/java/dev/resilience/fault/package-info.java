/** Tells transient faults from permanent ones. */
@NullMarked
package dev.resilience.fault;

import org.jspecify.annotations.NullMarked;
