/** Keys that nothing reads, names that no policy has, and their cures. */
@NullMarked
package dev.resilience.spring.properties.unknown;

import org.jspecify.annotations.NullMarked;
