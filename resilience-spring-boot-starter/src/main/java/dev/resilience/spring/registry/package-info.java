/** Makes the live objects of all that is configured. */
@NullMarked
package dev.resilience.spring.registry;

import org.jspecify.annotations.NullMarked;
