/** Idempotency over HTTP: the key in a header, the answer with its status and headers. */
@NullMarked
package dev.resilience.spring.idempotency.http;

import org.jspecify.annotations.NullMarked;
