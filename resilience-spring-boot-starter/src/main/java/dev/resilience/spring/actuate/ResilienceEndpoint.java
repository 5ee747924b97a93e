package dev.resilience.spring.actuate;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows every policy with its state and its users, and lets operators move circuit breakers and act on the records of
 * idempotency keys. Reading makes nothing.
 */
@Endpoint(id = "resilience")
public class ResilienceEndpoint {

    private final ResilienceRegistry registry;
    private final StartupWarnings warnings;
    private final EventLog events;

    public ResilienceEndpoint(ResilienceRegistry registry, StartupWarnings warnings, EventLog events) {
        this.registry = registry;
        this.warnings = warnings;
        this.events = events;
    }

    /** Everything, by kind and name. */
    @ReadOperation
    public Map<String, Object> resilience() {
        Map<String, Object> all = new LinkedHashMap<>();
        for (PolicyKind kind : PolicyKind.values()) {
            Map<String, Object> entries = new LinkedHashMap<>();
            registry.ofKind(kind).forEach((name, live) -> entries.put(name, entry(kind, name, live)));
            all.put(kind.id(), entries);
        }
        all.put("warnings", warnings.all());
        return all;
    }

    /** One policy, with its last events; {@code null} for a name that does not exist. */
    @ReadOperation
    public @Nullable Map<String, Object> policy(@Selector String kind, @Selector String name) {
        PolicyKind known = kind(kind);
        Object live = known == null ? null : registry.ofKind(known).get(name);
        if (known == null || live == null) {
            return null;
        }
        Map<String, Object> entry = entry(known, name, live);
        entry.put("events", events.of(known.id(), name));
        return entry;
    }

    /**
     * Moves a circuit breaker, or acts on the records of an idempotency key.
     *
     * @param key the idempotency key
     * @param method the method that was called with it; all that use the policy if not given
     * @param caller who called; everybody if not given
     * @param as what became of a call that is resolved: {@code executed} or {@code not-executed}
     * @return the breaker's new entry, or the records; {@code null} for a name that does not exist
     * @throws InvalidEndpointRequestException for an action that does not exist, or that lacks what it needs
     */
    @WriteOperation
    public @Nullable Map<String, Object> act(
            @Selector String kind,
            @Selector String name,
            String action,
            @Nullable String key,
            @Nullable String method,
            @Nullable String caller,
            @Nullable String as) {
        PolicyKind known = kind(kind);
        Object live = known == null ? null : registry.ofKind(known).get(name);
        if (live instanceof Idempotency idempotency) {
            return IdempotencyActions.act(idempotency, action, key, method, caller, as);
        }
        return live instanceof CircuitBreaker breaker ? move(breaker, name, action) : null;
    }

    private @Nullable Map<String, Object> move(CircuitBreaker breaker, String name, String action) {
        switch (action) {
            case "force-open" -> breaker.forceOpen();
            case "close" -> breaker.close();
            case "disable" -> breaker.disable();
            case "reset" -> breaker.reset();
            default ->
                throw new InvalidEndpointRequestException(
                        "No action '" + action + "'", "The actions are: force-open, close, disable, reset");
        }
        return policy(PolicyKind.CIRCUIT_BREAKER.id(), name);
    }

    private Map<String, Object> entry(PolicyKind kind, String name, Object live) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("policy", StateView.policy(live));
        entry.put("state", StateView.state(live));
        entry.put("usedBy", registry.usedBy(kind, name));
        return entry;
    }

    private static @Nullable PolicyKind kind(String id) {
        for (PolicyKind kind : PolicyKind.values()) {
            if (kind.id().equals(id)) {
                return kind;
            }
        }
        return null;
    }
}
