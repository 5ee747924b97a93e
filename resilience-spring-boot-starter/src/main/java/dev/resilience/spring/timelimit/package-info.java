/** Time limits as a kind of protection. */
@NullMarked
package dev.resilience.spring.timelimit;

import org.jspecify.annotations.NullMarked;
