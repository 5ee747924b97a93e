/** Idempotency over HTTP: keys in headers of requests, and what is kept of the answers to them. */
@NullMarked
package dev.resilience.spring.idempotency.http;

import org.jspecify.annotations.NullMarked;
