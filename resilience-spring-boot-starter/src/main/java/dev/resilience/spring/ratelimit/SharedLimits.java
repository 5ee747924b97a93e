package dev.resilience.spring.ratelimit;

import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.ratelimit.SharedLimit;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.KindContext;
import java.util.UUID;

/** Finds the store of a limit that several processes share. */
final class SharedLimits {

    /** This process, for the stores. */
    private static final String NODE = UUID.randomUUID().toString();

    private SharedLimits() {}

    /** @throws ResilienceConfigurationException if the application has nothing to keep the permits in */
    static SharedLimit create(String name, RateLimitPolicy policy, KindContext context) {
        RateLimitStore store = context.beans(RateLimitStore.class).stream()
                .filter(bean -> bean.type() == policy.store())
                .findFirst()
                .orElseThrow(() -> missing(policy.store(), context));
        store.prepare();
        return new SharedLimit(name, store, NODE, context.time());
    }

    private static ResilienceConfigurationException missing(RateLimitPolicy.Store type, KindContext context) {
        String needed = type == RateLimitPolicy.Store.REDIS
                ? "a RedisConnectionFactory bean, a single or a primary one; "
                        + "'org.springframework.boot:spring-boot-starter-data-redis' brings it"
                : "a DataSource bean, a single or a primary one; "
                        + "'org.springframework.boot:spring-boot-starter-jdbc' brings it";
        return new ResilienceConfigurationException(
                ProblemKind.VALUES,
                "The permits of a rate limit cannot be counted there:\n\n" + context.describe("store", type)
                        + "\n    Reason: needs " + needed,
                "Give the application " + needed + ". Or choose another 'store'.");
    }
}
