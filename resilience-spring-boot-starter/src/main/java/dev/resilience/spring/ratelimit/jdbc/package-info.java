/** Permits of shared rate limits in a relational database. */
@NullMarked
package dev.resilience.spring.ratelimit.jdbc;

import org.jspecify.annotations.NullMarked;
