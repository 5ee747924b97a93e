/** Connections of the store beside those of the application. */
@NullMarked
package dev.resilience.spring.idempotency.jdbc.connection;

import org.jspecify.annotations.NullMarked;
