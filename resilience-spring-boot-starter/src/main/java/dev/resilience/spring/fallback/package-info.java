/** Fallbacks as a kind of protection, and how their methods are found. */
@NullMarked
package dev.resilience.spring.fallback;

import org.jspecify.annotations.NullMarked;
