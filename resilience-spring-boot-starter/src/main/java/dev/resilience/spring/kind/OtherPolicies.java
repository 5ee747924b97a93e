package dev.resilience.spring.kind;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The policies of another kind, for a policy that needs one of them.
 *
 * @param <L> the live object
 */
public interface OtherPolicies<L> {

    /** The live object of a name; {@code null} if nothing is written of it, or it is a mistake. */
    @Nullable
    L find(String name);

    /** The live object of a name, made of the {@code default} policy if nothing is written; {@code null} for a mistake. */
    @Nullable
    L findOrMakeOfDefault(String name);

    /** Whether the policy is written but cannot be made, which is a mistake that is told already. */
    boolean isBroken(String name);

    /** The names of those that can be made. */
    Set<String> names();
}
