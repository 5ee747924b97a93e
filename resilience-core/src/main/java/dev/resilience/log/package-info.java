/** What is written to the log, and how much of it. Not for applications. */
@NullMarked
package dev.resilience.log;

import org.jspecify.annotations.NullMarked;
