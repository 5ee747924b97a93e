package dev.resilience.spring.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * One policy as it is written in YAML. Policies that start from others are bound onto the same instance, one after the
 * other, so that each changes what it says and nothing else.
 *
 * @param <P> the policy made of it
 */
abstract class PolicyProperties<P> {

    private @Nullable String parent;

    /** The policy or preset that this one starts from, in place of {@code default}. */
    public final @Nullable String getExtends() {
        return parent;
    }

    public final void setExtends(@Nullable String name) {
        this.parent = name;
    }

    /** The immutable, checked policy. */
    abstract P toPolicy();
}
