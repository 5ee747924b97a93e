package dev.resilience.spring.kind;

import org.jspecify.annotations.Nullable;

/**
 * The meters of one name, with what a monitoring system shows beside them.
 *
 * @param id {@code resilience.bulkhead.calls}
 * @param baseUnit given where the name ends with it: some systems append it to the name, which is fixed
 * @param description in a sentence without a full stop
 */
public record MeterFamily(String id, @Nullable String baseUnit, String description) {}
