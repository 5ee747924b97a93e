package dev.resilience.spring.idempotency.redis;

import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** The scripts are in a native image too. */
final class LuaScriptHints implements RuntimeHintsRegistrar {

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.resources().registerPattern("dev/resilience/spring/idempotency/redis/*.lua");
    }
}
