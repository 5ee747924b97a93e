package dev.resilience.spring.aop.policy;

import dev.resilience.spring.PolicyKind;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/** What is known of policies beyond those that live: for names in annotations that no live policy has. */
public interface WrittenNames {

    /** Whether the policy is written but cannot be made, which is a mistake of its own. */
    boolean isBroken(PolicyKind kind, String name);

    /**
     * The name that environment variables alone give to the policy: they spell every name in capitals and without
     * dashes, so they name the policy of an annotation in any case. {@code null} if there is none.
     */
    @Nullable
    String inEnvironment(PolicyKind kind, String name);

    /**
     * What to do about a name that there is no policy of.
     *
     * @param live the names that there are
     */
    String cure(PolicyKind kind, String name, Collection<String> live);
}
