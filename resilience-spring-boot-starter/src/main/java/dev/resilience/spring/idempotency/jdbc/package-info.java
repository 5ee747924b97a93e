/** Records of idempotent calls in a relational database. */
@NullMarked
package dev.resilience.spring.idempotency.jdbc;

import org.jspecify.annotations.NullMarked;
