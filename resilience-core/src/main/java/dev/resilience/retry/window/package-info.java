/** What a retry budget remembers of the recent calls and of the retries that are planned. */
@NullMarked
package dev.resilience.retry.window;

import org.jspecify.annotations.NullMarked;
