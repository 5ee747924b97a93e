package dev.resilience.spring.ratelimit;

import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.ratelimit.RateLimit;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitPolicy.Store;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.ratelimit.SharedLimit;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.MeterFamily;
import dev.resilience.spring.kind.Meters;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Rate limits: {@code @RateLimit} and {@code resilience.rate-limit}. */
public final class RateLimitKind
        extends ConfiguredKind<dev.resilience.annotation.RateLimit, RateLimitPolicy, RateLimit> {

    private static final MeterFamily CALLS =
            new MeterFamily("resilience.ratelimit.calls", "calls", "Calls to the rate limit by how they were received");
    private static final MeterFamily AVAILABLE = new MeterFamily(
            "resilience.ratelimit.available", null, "Permits that calls could take, if that is one number");
    private static final MeterFamily KEYS =
            new MeterFamily("resilience.ratelimit.keys", null, "Keys that have a rate limit of their own");

    /** This process, for the stores. */
    private static final String NODE = UUID.randomUUID().toString();

    public RateLimitKind() {
        super("rate-limit", dev.resilience.annotation.RateLimit.class, "idempotent", RateLimitPolicy.defaults());
    }

    /** @throws ResilienceConfigurationException if the application has nothing to keep the permits in */
    @Override
    public RateLimit create(String name, RateLimitPolicy policy, KindContext context) {
        if (policy.store() == Store.MEMORY) {
            return new RateLimit(name, policy, context.environmentWithWaits());
        }
        RateLimitStore store = context.beans(RateLimitStore.class).stream()
                .filter(bean -> bean.type() == policy.store())
                .findFirst()
                .orElseThrow(() -> missing(policy.store(), context));
        store.prepare();
        SharedLimit shared = new SharedLimit(name, store, NODE, context.time());
        return new RateLimit(name, policy, context.environmentWithWaits(), shared);
    }

    private static ResilienceConfigurationException missing(Store type, KindContext context) {
        String reason = type == Store.REDIS ? KindContext.NEEDS_REDIS : KindContext.NEEDS_DATA_SOURCE;
        return new ResilienceConfigurationException(
                ProblemKind.VALUES,
                "The permits of a rate limit cannot be counted there:\n\n" + context.describe("store", type)
                        + "\n    Reason: " + reason,
                "Give the application such a bean, or choose another 'store'.");
    }

    @Override
    public boolean isFixed(String key) {
        return key.equals("store");
    }

    @Override
    public @Nullable String withoutEffect(String key, RateLimitPolicy policy) {
        return because(
                key.equals("on-store-failure") && policy.store() == Store.MEMORY,
                "store is memory, which does not fail");
    }

    @Override
    public void describePolicy(RateLimit limit, Map<String, Object> policy) {
        policy.put("burst", limit.policy().capacity());
    }

    @Override
    public Map<String, Object> state(RateLimit limit) {
        Map<String, Object> state = new LinkedHashMap<>();
        double available = limit.available();
        if (keys(limit) == null && !Double.isNaN(available)) {
            state.put("available", (long) available);
            state.put("burst", limit.policy().capacity());
        }
        if (limit.isPart()) {
            return state;
        }
        Map<String, Object> store = limit.store();
        if (!store.isEmpty()) {
            state.put("store", store);
        }
        state.put("calls", limit.calls().byLabel());
        return state;
    }

    @Override
    public @Nullable String trouble(RateLimit limit) {
        return limit.available() < 1 ? "has no permit left" : null;
    }

    @Override
    public List<Shown> shown() {
        return List.of(new Shown("available", "available", As.LEVEL, "burst"), new Shown("calls", "calls", As.RATE));
    }

    @Override
    public void meters(RateLimit limit, Meters meters) {
        meters.outcomes(CALLS, limit.calls());
        meters.gauge(AVAILABLE, limit, l -> keys(l) == null ? l.available() : Double.NaN);
        if (limit.keys() != null) {
            meters.gauge(KEYS, limit.keys(), KeyedObjects::size);
        }
    }

    @Override
    public void reset(RateLimit limit) {
        super.reset(limit);
        limit.reset();
    }
}
