package dev.resilience.spring.properties.unknown;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.idempotency.store.MemoryIdempotencyStore;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.properties.ConfiguredProperties;
import java.util.Map;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Keys of idempotency stores that the application does not use. */
public final class KeysOfOtherStores {

    private KeysOfOtherStores() {}

    /** Warns of each one that is written. */
    public static void warn(ConfiguredProperties keys, IdempotencyStore store, StartupWarnings warnings) {
        Map<String, String> packages = Map.of(
                "memory.max-size", MemoryIdempotencyStore.class.getPackageName(),
                "jdbc.table-name", "dev.resilience.spring.idempotency.jdbc",
                "redis.key-prefix", "dev.resilience.spring.idempotency.redis");
        packages.forEach((key, packageOfStore) -> {
            String name = "resilience.idempotency-store." + key;
            if (keys.contains(ConfigurationPropertyName.of(name))
                    && !store.getClass().getPackageName().equals(packageOfStore)) {
                warnings.add("'" + name + "' has no effect: idempotent calls are remembered by a "
                        + store.getClass().getSimpleName());
            }
        });
    }
}
