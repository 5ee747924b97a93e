package dev.resilience.spring.actuate;

import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.PolicyKind;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;

/**
 * Shows every policy with its state and its users, and lets operators move circuit breakers and act on the records of
 * idempotency keys. Reading makes nothing. A request for what does not exist is answered with what does.
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
            all.put(kind.id(), entries(kind));
        }
        all.put("warnings", warnings.all());
        return all;
    }

    /**
     * The policies of one kind by name.
     *
     * @throws InvalidEndpointRequestException for a kind that does not exist; it names those that do
     */
    @ReadOperation
    public Map<String, Object> policies(@Selector String kind) {
        return entries(kind(kind));
    }

    /**
     * One policy, with its last events.
     *
     * @throws InvalidEndpointRequestException for a kind or a name that does not exist; it names those that do
     */
    @ReadOperation
    public Map<String, Object> policy(@Selector String kind, @Selector String name) {
        PolicyKind known = kind(kind);
        return entryWithEvents(known, name, live(known, name));
    }

    /**
     * Moves a circuit breaker, or acts on the records of an idempotency key.
     *
     * @param action what to do
     * @param key the idempotency key
     * @param method the method that was called with it; all that use the policy if not given
     * @param caller who called; everybody if not given
     * @param as what became of a call that is resolved: {@code executed} or {@code not-executed}
     * @return the breaker's new entry, or the records
     * @throws InvalidEndpointRequestException for a kind, a name or an action that does not exist, or an action that lacks
     *     what it needs; it tells what there is
     */
    @WriteOperation
    public Map<String, Object> act(
            @Selector String kind,
            @Selector String name,
            @Nullable String action,
            @Nullable String key,
            @Nullable String method,
            @Nullable String caller,
            @Nullable String as) {
        PolicyKind known = kind(kind);
        Object live = live(known, name);
        if (live instanceof Idempotency idempotency) {
            return IdempotencyActions.act(idempotency, action, key, method, caller, as);
        }
        if (live instanceof CircuitBreaker breaker) {
            CircuitBreakerActions.act(breaker, action);
            return entryWithEvents(known, name, live);
        }
        throw EndpointRefusal.noActions(
                kind,
                Map.of(
                        PolicyKind.CIRCUIT_BREAKER.id(), CircuitBreakerActions.ALL,
                        PolicyKind.IDEMPOTENCY.id(), IdempotencyActions.ALL));
    }

    private Map<String, Object> entries(PolicyKind kind) {
        Map<String, Object> entries = new LinkedHashMap<>();
        registry.ofKind(kind).forEach((name, live) -> entries.put(name, entry(kind, name, live)));
        return entries;
    }

    private Map<String, Object> entryWithEvents(PolicyKind kind, String name, Object live) {
        Map<String, Object> entry = entry(kind, name, live);
        entry.put("events", events.of(kind.id(), name));
        return entry;
    }

    private Map<String, Object> entry(PolicyKind kind, String name, Object live) {
        Map<String, Object> entry = new LinkedHashMap<>();
        entry.put("policy", StateView.policy(live));
        entry.put("state", StateView.state(live));
        entry.put("usedBy", registry.usedBy(kind, name));
        return entry;
    }

    private Object live(PolicyKind kind, String name) {
        Map<String, ?> all = registry.ofKind(kind);
        Object live = all.get(name);
        if (live == null) {
            throw EndpointRefusal.notFound(kind.id() + " policy", name, "names", all.keySet());
        }
        return live;
    }

    private static PolicyKind kind(String id) {
        List<String> ids = new ArrayList<>();
        for (PolicyKind kind : PolicyKind.values()) {
            if (kind.id().equals(id)) {
                return kind;
            }
            ids.add(kind.id());
        }
        throw EndpointRefusal.notFound("kind", id, "kinds", ids);
    }
}
