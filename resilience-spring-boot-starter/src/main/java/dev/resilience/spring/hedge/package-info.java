/** Hedges as a kind of protection. */
@NullMarked
package dev.resilience.spring.hedge;

import org.jspecify.annotations.NullMarked;
