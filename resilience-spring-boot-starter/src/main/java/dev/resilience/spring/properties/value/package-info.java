/** Texts that are no values, and what to write in their place. */
@NullMarked
package dev.resilience.spring.properties.value;

import org.jspecify.annotations.NullMarked;
