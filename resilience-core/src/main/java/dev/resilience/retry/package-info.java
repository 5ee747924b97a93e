/** Retry: repeats what is transient, after the right wait, within a budget. */
@NullMarked
package dev.resilience.retry;

import org.jspecify.annotations.NullMarked;
