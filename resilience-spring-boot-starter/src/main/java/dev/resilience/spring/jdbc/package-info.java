/** Idempotency records in a relational database, written in the method's own transaction where there is one. */
@NullMarked
package dev.resilience.spring.jdbc;

import org.jspecify.annotations.NullMarked;
