/** The moment by which a call must be done, and what it means for everything that the call calls. */
@NullMarked
package dev.resilience.deadline;

import org.jspecify.annotations.NullMarked;
