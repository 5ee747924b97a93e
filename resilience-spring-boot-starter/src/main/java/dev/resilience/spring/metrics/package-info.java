/** What Micrometer sees. */
@NullMarked
package dev.resilience.spring.metrics;

import org.jspecify.annotations.NullMarked;
