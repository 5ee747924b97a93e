package dev.resilience.spring.idempotency.redis;

import dev.resilience.spring.StartupWarnings;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnection;

/** Warns, once, of a server that may throw records away when its memory is full. */
final class EvictionCheck {

    private static final Logger log = LoggerFactory.getLogger(EvictionCheck.class);
    private static final String PARAMETER = "maxmemory-policy";
    private static final String SAFE = "noeviction";

    private final StartupWarnings warnings;
    private final AtomicBoolean done = new AtomicBoolean();

    EvictionCheck(StartupWarnings warnings) {
        this.warnings = warnings;
    }

    /** Asks on a connection that has just proved to work, so that no application starts later for it, or not at all. */
    void runOnce(RedisConnection connection) {
        if (done.get() || !done.compareAndSet(false, true)) {
            return;
        }
        try {
            // a cluster answers with one value for each node
            connection.serverCommands().getConfig(PARAMETER).values().stream()
                    .map(String::valueOf)
                    .filter(policy -> !policy.equals(SAFE))
                    .findFirst()
                    .ifPresent(this::warn);
        } catch (RuntimeException forbidden) {
            log.debug("Redis does not tell its {}; nothing but {} keeps every record", PARAMETER, SAFE, forbidden);
        }
    }

    private void warn(String policy) {
        warnings.add(
                "Redis has '" + PARAMETER + " " + policy + "': when its memory is full it forgets idempotent calls, "
                        + "and they run again. Set it to '" + SAFE + "' where they are kept");
    }
}
