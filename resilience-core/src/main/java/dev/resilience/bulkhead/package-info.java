/** Bulkhead: bounds how many calls run at once and how many wait for a permit. */
@NullMarked
package dev.resilience.bulkhead;

import org.jspecify.annotations.NullMarked;
