/** What the library's own properties switch on and off. */
@NullMarked
package dev.resilience.spring.autoconfigure.condition;

import org.jspecify.annotations.NullMarked;
