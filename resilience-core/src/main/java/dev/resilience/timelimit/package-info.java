/** Time limit: bounds how long a call takes, on its caller's thread or on one of its own. */
@NullMarked
package dev.resilience.timelimit;

import org.jspecify.annotations.NullMarked;
