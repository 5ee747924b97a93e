/** Retries and their budgets as a kind of protection. */
@NullMarked
package dev.resilience.spring.retry;

import org.jspecify.annotations.NullMarked;
