/** The states of an idempotent call and what leads from one to another; each state is a class. */
@NullMarked
package dev.resilience.idempotency.state;

import org.jspecify.annotations.NullMarked;
