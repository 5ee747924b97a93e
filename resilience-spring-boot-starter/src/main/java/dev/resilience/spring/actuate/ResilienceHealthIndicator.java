package dev.resilience.spring.actuate;

import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.registry.DefaultResilienceRegistry;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;

/**
 * Every circuit breaker with its state, and what other kinds have to tell, but for a default that no method uses; DOWN where
 * one is open whose policy says so.
 */
public final class ResilienceHealthIndicator extends AbstractHealthIndicator {

    private final Supplier<@Nullable DefaultResilienceRegistry> registry;

    /** @param registry gives {@code null} as long as nothing is needed */
    public ResilienceHealthIndicator(Supplier<@Nullable DefaultResilienceRegistry> registry) {
        this.registry = registry;
    }

    @Override
    protected void doHealthCheck(Health.Builder health) {
        health.up();
        DefaultResilienceRegistry created = registry.get();
        if (created != null) {
            Set<String> told = new HashSet<>();
            created.kinds().configured().forEach(kind -> check(kind, created.live(), health, told));
        }
    }

    /**
     * @param told the names that have a detail; a policy of that name and a later kind has its kind before its name
     */
    private static <L extends LiveObject<?>> void check(
            ConfiguredKind<?, ?, L> kind, LiveRegistry registry, Health.Builder health, Set<String> told) {
        registry.<L>ofKind(kind.id()).forEach((name, live) -> {
            ConfiguredKind.Health found = registry.isUnusedDefault(kind.id(), name) ? null : kind.health(live);
            if (found != null) {
                health.withDetail(told.add(name) ? name : kind.id() + "/" + name, found.state());
                if (found.isDown()) {
                    health.down();
                }
            }
        });
    }
}
