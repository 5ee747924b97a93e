/** Answers over HTTP, kept with their status and headers as objects or as the bytes that were sent. */
@NullMarked
package dev.resilience.spring.idempotency.http;

import org.jspecify.annotations.NullMarked;
