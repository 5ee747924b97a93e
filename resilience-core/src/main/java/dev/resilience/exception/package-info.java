/** What callers catch. */
@NullMarked
package dev.resilience.exception;

import org.jspecify.annotations.NullMarked;
