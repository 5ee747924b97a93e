package dev.resilience.spring.actuate;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindHealth;
import dev.resilience.spring.kind.Kinds;
import java.util.Map;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Every circuit breaker with its state, and what other kinds have to tell, but for a default that no method uses; DOWN where
 * one is open whose policy says so.
 */
public final class ResilienceHealthIndicator extends AbstractHealthIndicator {

    private final ResilienceRegistry registry;
    private final Kinds kinds;

    public ResilienceHealthIndicator(ResilienceRegistry registry, Kinds kinds) {
        this.registry = registry;
        this.kinds = kinds;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        health.up();
        kinds.configured().forEach(kind -> check(kind, health));
    }

    private <L extends LiveObject<?>> void check(ConfiguredKind<?, ?, L> kind, Health.Builder health) {
        Map<String, L> all = registry.ofKind(kind.id());
        all.forEach((name, live) -> {
            KindHealth found = registry.isUnusedDefault(kind.id(), name) ? null : kind.health(live);
            if (found != null) {
                health.withDetail(name, found.state());
                if (found.isDown()) {
                    health.down();
                }
            }
        });
    }
}
