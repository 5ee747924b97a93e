/** The library without Spring: {@link dev.resilience.Resilience} is where a program begins. */
@NullMarked
package dev.resilience;

import org.jspecify.annotations.NullMarked;
