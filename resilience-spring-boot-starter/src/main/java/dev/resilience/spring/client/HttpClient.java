package dev.resilience.spring.client;

import dev.resilience.context.Attempt;
import dev.resilience.context.Deadline;
import dev.resilience.pipeline.Environment;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.KeyedObjects;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.PerKey;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.pipeline.Step;
import dev.resilience.timelimit.TimeLimit;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.Stream;
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
    final KeyedObjects<Host> byHost = new KeyedObjects<>(
            () -> MAX_HOSTS, this::create, Host::isAtWork, host -> false, host -> host.parts.forEach(PerKey::end));
    private volatile HttpClientPolicy policy;

    /** What one host has for itself: its circuit breaker and its bulkhead, and the layers with these. */
    record Host(List<PerKey<?>> parts, Pipeline pipeline) {

        boolean isAtWork() {
            return parts.stream().anyMatch(PerKey::isAtWork);
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
        TimeLimitPolicy forever = TimeLimitPolicy.builder().timeout(FOREVER).build();
        Layer limit = untilDeadline(new TimeLimit(name, forever, environment));
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
        own.replaceAll((kind, layer) -> layer instanceof PerKey<?> ofAll ? ofAll.part(host, true) : layer);
        Stream<Layer> parts = own.values().stream().filter(PerKey.class::isInstance);
        return new Host(parts.<PerKey<?>>map(PerKey.class::cast).toList(), pipeline(own));
    }

    /** Forgets what is known of single hosts, and their answers. */
    void reset() {
        staleAnswers.clear();
        byHost.clear();
    }

    private Pipeline pipeline(Map<String, Layer> byKind) {
        return Pipeline.of(inOrder.apply(byKind), environment.carrier());
    }

    /** Interrupts a request when the deadline is over; one without a deadline needs no timer. */
    private static Layer untilDeadline(TimeLimit limit) {
        return next -> {
            Step limited = limit.around(next);
            return new Step() {
                @Override
                public @Nullable Object call(Invocation request) throws Throwable {
                    return (Deadline.current() == null ? next : limited).call(request);
                }

                @Override
                public CompletableFuture<@Nullable Object> callAsync(Invocation request) {
                    return (Deadline.current() == null ? next : limited).callAsync(request);
                }
            };
        };
    }
}
