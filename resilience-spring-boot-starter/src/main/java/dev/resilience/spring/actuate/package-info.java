/** What operators see and do: endpoint and health. */
@NullMarked
package dev.resilience.spring.actuate;

import org.jspecify.annotations.NullMarked;
