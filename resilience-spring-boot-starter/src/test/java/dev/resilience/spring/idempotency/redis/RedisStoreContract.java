package dev.resilience.spring.idempotency.redis;

import static org.awaitility.Awaitility.await;

import dev.resilience.idempotency.tck.IdempotencyStoreContract;
import java.time.Duration;

/** The contract on a clock that nobody can move but time itself. */
abstract class RedisStoreContract extends IdempotencyStoreContract {

    @Override
    protected Duration shortWhile() {
        return Duration.ofMillis(80);
    }

    @Override
    protected int races() {
        return 50;
    }

    @Override
    protected void letPass(Duration duration) {
        pass(duration);
    }

    static void pass(Duration duration) {
        await().pollDelay(duration.plusMillis(10)).until(() -> true);
    }
}
