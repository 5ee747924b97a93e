package dev.resilience.spring.client;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.context.Attempt;
import dev.resilience.context.Deadline;
import dev.resilience.event.CircuitState;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.pipeline.Step;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
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
    private final LinkedHashMap<String, Host> byHost = new LinkedHashMap<>(16, 0.75f, true); // with the lock
    private volatile HttpClientPolicy policy;

    /** What one host has for itself. */
    record Host(@Nullable CircuitBreaker breaker, @Nullable Bulkhead bulkhead, Pipeline pipeline) {

        boolean isIdle() {
            return (breaker == null || breaker.currentState() == CircuitState.CLOSED)
                    && (bulkhead == null || bulkhead.running() + bulkhead.queued() == 0);
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
        if (!policy.perHost()) {
            return shared;
        }
        String key = host.toString();
        synchronized (byHost) {
            Host known = byHost.get(key);
            if (known == null) {
                known = create(key);
                byHost.put(key, known);
            }
            return known.pipeline;
        }
    }

    /** In place of another one, if there are too many: the one that was called longest ago, rather one that does nothing now. */
    private Host create(String host) {
        if (byHost.size() >= MAX_HOSTS) {
            String oldest = byHost.entrySet().stream()
                    .filter(known -> known.getValue().isIdle())
                    .map(Map.Entry::getKey)
                    .findFirst()
                    .orElseGet(() -> byHost.keySet().iterator().next());
            end(Objects.requireNonNull(byHost.remove(oldest)));
        }
        Map<String, Layer> own = new HashMap<>(layers);
        CircuitBreaker breaker = null;
        if (layers.get("circuit-breaker") instanceof CircuitBreaker ofAll) {
            breaker = ofAll.forKey(host, environment);
            BooleanSupplier movedByHand = () -> ofAll.currentState() != CircuitState.CLOSED; // which is for all hosts
            own.put("circuit-breaker", either(movedByHand, ofAll, breaker));
        }
        Bulkhead bulkhead = null;
        if (layers.get("bulkhead") instanceof Bulkhead ofAll) {
            bulkhead = ofAll.forKey(host, environment);
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
        synchronized (byHost) {
            byHost.values().forEach(this::end);
            byHost.clear();
        }
    }

    /** Those that have something for themselves. */
    Map<String, Host> hostsInUse() {
        synchronized (byHost) {
            return new LinkedHashMap<>(byHost);
        }
    }

    private Pipeline pipeline(Map<String, Layer> byKind) {
        return Pipeline.of(inOrder.apply(byKind), environment.carrier());
    }

    /** Interrupts a request when the deadline is over; where there is none it costs nothing. */
    private static Layer untilDeadline(TimeLimit limit) {
        return either(() -> Deadline.current() == null, next -> next, limit);
    }

    /** One of two layers, chosen anew by each call. */
    private static Layer either(BooleanSupplier isFirst, Layer first, Layer second) {
        return next -> {
            Step one = first.around(next);
            Step other = second.around(next);
            return new Step() {
                @Override
                public @Nullable Object call(Invocation invocation) throws Throwable {
                    return (isFirst.getAsBoolean() ? one : other).call(invocation);
                }

                @Override
                public CompletableFuture<@Nullable Object> callAsync(Invocation invocation) {
                    return (isFirst.getAsBoolean() ? one : other).callAsync(invocation);
                }
            };
        };
    }
}
