package dev.resilience.spring.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.idempotency.TamperedResultContract;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class TamperedResultTests extends TamperedResultContract {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    @Override
    protected ApplicationContextRunner application() {
        return new ApplicationContextRunner()
                .withBean(IdempotencyStore.class, REDIS::emptyStore)
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class, JacksonAutoConfiguration.class, ResilienceAutoConfiguration.class));
    }

    @Override
    protected void overwrite(byte[] result) {
        byte[] key = REDIS.keys().iterator().next().getBytes(StandardCharsets.UTF_8);
        boolean added = REDIS.onConnection(
                connection -> connection.hashCommands().hSet(key, "content".getBytes(StandardCharsets.UTF_8), result));
        assertThat(added).isFalse();
    }
}
