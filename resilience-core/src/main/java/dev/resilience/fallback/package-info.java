/** Fallback: another answer in place of a failure. */
@NullMarked
package dev.resilience.fallback;

import org.jspecify.annotations.NullMarked;
