/** Dead letters: how calls that ran out of retries are written, made again, and shown to operators. */
@NullMarked
package dev.resilience.spring.deadletter;

import org.jspecify.annotations.NullMarked;
