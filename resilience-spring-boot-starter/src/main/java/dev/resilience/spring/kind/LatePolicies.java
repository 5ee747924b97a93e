package dev.resilience.spring.kind;

import dev.resilience.pipeline.LiveObject;
import org.jspecify.annotations.Nullable;

/** Makes the live objects of policies that become known by the annotations of a class that turns up late. */
public interface LatePolicies {

    /** The new live object; {@code null} for a mistake that is told already. */
    <L extends LiveObject<?>> @Nullable L make(ConfiguredKind<?, ?, L> kind, String name);
}
