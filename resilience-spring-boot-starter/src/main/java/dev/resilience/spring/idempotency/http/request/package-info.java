/** The HTTP request of a call: its key, its other headers, and whether it is still live. */
@NullMarked
package dev.resilience.spring.idempotency.http.request;

import org.jspecify.annotations.NullMarked;
