package dev.resilience.spring.registry;

import dev.resilience.context.ContextCarrier;
import org.jspecify.annotations.Nullable;

/**
 * How calls go on on other threads than their callers'.
 *
 * @param carrier takes along what is bound to the caller's thread
 * @param maxThreads how many threads a policy has at the most for what goes on after a wait; {@code null} for the
 *     library's choice
 */
public record AsyncCalls(ContextCarrier carrier, @Nullable Integer maxThreads) {}
