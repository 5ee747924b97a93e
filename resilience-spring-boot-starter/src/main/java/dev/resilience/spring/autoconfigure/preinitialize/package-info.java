/** What the library does in the background while Spring Boot starts. */
@NullMarked
package dev.resilience.spring.autoconfigure.preinitialize;

import org.jspecify.annotations.NullMarked;
