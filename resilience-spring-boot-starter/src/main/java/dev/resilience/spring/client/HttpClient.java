package dev.resilience.spring.client;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.context.Attempt;
import dev.resilience.context.Deadline;
import dev.resilience.event.CircuitState;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An entry of {@code resilience.http-client} at work: the layers around requests to its hosts, those of all hosts or some for
 * each. Safe for use by many threads.
 */
public final class HttpClient implements LiveObject<HttpClientPolicy> {

    private static final int MAX_HOSTS = 1_000;
    private static final Duration FOREVER = Duration.ofDays(10_000);

    private final String name;
    final List<HostPattern> hosts;
    final String place; // of the hosts, in words
    final StaleAnswers staleAnswers;
    private final Environment environment;
    private final Map<String, Layer> layers;
    private final Function<Map<String, Layer>, List<Layer>> inOrder;
    private final Pipeline shared;
    final Pipeline untilDeadline; // for the reading of bodies
    final KeyedObjects<Host> byHost = new KeyedObjects<>(() -> MAX_HOSTS, this::create, Host::isAtWork, this::end);
    private volatile HttpClientPolicy policy;

    /** What one host has for itself. */
    record Host(@Nullable CircuitBreaker breaker, @Nullable Bulkhead bulkhead, Pipeline pipeline) {

        boolean isAtWork() {
            return (breaker != null && breaker.currentState() != CircuitState.CLOSED)
                    || (bulkhead != null && bulkhead.running() + bulkhead.queued() > 0);
        }
    }

    /**
     * @param place where its hosts are configured, in words
     * @param layers those of the policies that it names, by the id of their kind
     * @param inOrder puts layers into the application's order
     */
    HttpClient(
            String name,
            HttpClientPolicy policy,
            String place,
            Map<String, Layer> layers,
            Function<Map<String, Layer>, List<Layer>> inOrder,
            Environment environment) {
        this.name = name;
        this.policy = prepared(policy);
        this.place = place;
        this.hosts = policy.hosts().stream().map(HostPattern::of).toList();
        this.staleAnswers = new StaleAnswers(environment.time());
        this.environment = environment;
        this.inOrder = inOrder;
        this.layers = new HashMap<>(layers);
        Layer limit = untilDeadline(
                new TimeLimit(name, TimeLimitPolicy.builder().timeout(FOREVER).build(), environment));
        this.layers.putIfAbsent("time-limit", limit);
        this.untilDeadline = Pipeline.of(List.of(limit), environment.carrier());
        this.shared = pipeline(this.layers);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public HttpClientPolicy policy() {
        return policy;
    }

    /** For requests that begin from now on; hosts and the names of policies stay as they are. */
    @Override
    public void reconfigure(HttpClientPolicy changed) {
        policy = prepared(changed);
    }

    private static HttpClientPolicy prepared(HttpClientPolicy policy) {
        if (policy.idempotencyKey() == HttpClientPolicy.IdempotencyKey.GENERATE) {
            Attempt.rememberKeys();
        }
        return policy;
    }

    /** When an attempt that begins now ends, for libraries that cannot be interrupted. */
    @Nullable
    Deadline deadline(@Nullable Deadline outer) {
        return layers.get("time-limit") instanceof TimeLimit limit
                ? Deadline.in(Deadline.limit(limit.policy().timeout()))
                : outer;
    }

    /** The layers around a request to a host. */
    Pipeline pipeline(HostPattern host) {
        return policy.perHost() ? byHost.get(host.toString()).pipeline : shared;
    }

    private Host create(String host) {
        Map<String, Layer> own = new HashMap<>(layers);
        CircuitBreaker breaker = null;
        if (layers.get("circuit-breaker") instanceof CircuitBreaker ofAll) {
            breaker = ofAll.part(host, true);
            own.put("circuit-breaker", ofAll.over(breaker));
        }
        Bulkhead bulkhead = null;
        if (layers.get("bulkhead") instanceof Bulkhead ofAll) {
            bulkhead = ofAll.part(host, true);
            own.put("bulkhead", bulkhead);
        }
        return new Host(breaker, bulkhead, pipeline(own));
    }

    private void end(Host host) {
        if (host.breaker != null && layers.get("circuit-breaker") instanceof CircuitBreaker ofAll) {
            ofAll.end(host.breaker);
        }
        if (host.bulkhead != null && layers.get("bulkhead") instanceof Bulkhead ofAll) {
            ofAll.end(host.bulkhead);
        }
    }

    /** Forgets what is known of single hosts, and their answers. */
    void reset() {
        staleAnswers.clear();
        byHost.clear();
    }

    private Pipeline pipeline(Map<String, Layer> byKind) {
        return Pipeline.of(inOrder.apply(byKind), environment.carrier());
    }

    /** Interrupts a request when the deadline is over; where there is none it costs nothing. */
    private static Layer untilDeadline(TimeLimit limit) {
        return Layer.either(() -> Deadline.current() == null, next -> next, limit);
    }
}
