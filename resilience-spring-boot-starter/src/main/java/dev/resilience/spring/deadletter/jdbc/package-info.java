/** Dead letters in a relational database. */
@NullMarked
package dev.resilience.spring.deadletter.jdbc;

import org.jspecify.annotations.NullMarked;
