/** What belongs to a call and not to the thread that runs it: its deadline, attempt and idempotent call, and what takes them along. */
@NullMarked
package dev.resilience.context;

import org.jspecify.annotations.NullMarked;
