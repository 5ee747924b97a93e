package dev.resilience.spring.actuate;

import dev.resilience.circuitbreaker.CircuitBreaker;
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

/** Shows every policy with its state and its users, and lets operators move circuit breakers. Reading makes nothing. */
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
     * Moves a circuit breaker.
     *
     * @return the new entry; {@code null} for a name that does not exist
     * @throws InvalidEndpointRequestException for an action that does not exist
     */
    @WriteOperation
    public @Nullable Map<String, Object> act(@Selector String kind, @Selector String name, String action) {
        CircuitBreaker breaker = kind(kind) == PolicyKind.CIRCUIT_BREAKER
                ? registry.circuitBreakers().get(name)
                : null;
        if (breaker == null) {
            return null;
        }
        switch (action) {
            case "force-open" -> breaker.forceOpen();
            case "close" -> breaker.close();
            case "disable" -> breaker.disable();
            case "reset" -> breaker.reset();
            default ->
                throw new InvalidEndpointRequestException(
                        "No action '" + action + "'", "The actions are: force-open, close, disable, reset");
        }
        return policy(kind, name);
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
