/** Rate limits: so many calls in a period, and no more than a burst of them at once. */
@NullMarked
package dev.resilience.ratelimit;

import org.jspecify.annotations.NullMarked;
