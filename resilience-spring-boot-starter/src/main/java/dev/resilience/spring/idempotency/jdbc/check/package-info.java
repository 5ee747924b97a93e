/** What is said at startup of transactions and pools that do not go with records in a database. */
@NullMarked
package dev.resilience.spring.idempotency.jdbc.check;

import org.jspecify.annotations.NullMarked;
