/** From properties to policies, and what is switched on by what is on the class path. */
@NullMarked
package dev.resilience.spring.autoconfigure;

import org.jspecify.annotations.NullMarked;
