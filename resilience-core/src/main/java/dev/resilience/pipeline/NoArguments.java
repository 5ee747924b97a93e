package dev.resilience.pipeline;

import org.jspecify.annotations.Nullable;

final class NoArguments {

    static final @Nullable Object[] NONE = {};

    private NoArguments() {}
}
