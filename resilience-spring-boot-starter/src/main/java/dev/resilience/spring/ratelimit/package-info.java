/** Rate limits as a kind of protection. */
@NullMarked
package dev.resilience.spring.ratelimit;

import org.jspecify.annotations.NullMarked;
