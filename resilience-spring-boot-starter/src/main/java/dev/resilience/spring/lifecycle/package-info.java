/** What happens to waits and running calls when the application ends. */
@NullMarked
package dev.resilience.spring.lifecycle;

import org.jspecify.annotations.NullMarked;
