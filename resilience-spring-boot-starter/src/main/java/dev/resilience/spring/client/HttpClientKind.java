package dev.resilience.spring.client;

import static dev.resilience.spring.WarningId.CLIENT_WITHOUT_MODULE;
import static dev.resilience.spring.WarningId.KEY_WITHOUT_EFFECT;
import static dev.resilience.spring.WarningId.RETRY_BEYOND_TIME_LIMIT;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.event.CircuitState;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.PerKey;
import dev.resilience.retry.Retry;
import dev.resilience.spring.NearestNames;
import dev.resilience.spring.ProblemKind;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.aop.RetryChecks;
import dev.resilience.spring.bulkhead.BulkheadKind;
import dev.resilience.spring.circuitbreaker.CircuitBreakerKind;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.Shown;
import dev.resilience.spring.kind.Shown.As;
import dev.resilience.spring.retry.RetryBudgetKind;
import dev.resilience.spring.retry.RetryKind;
import dev.resilience.spring.timelimit.TimeLimitKind;
import dev.resilience.timelimit.TimeLimit;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;

/** Outgoing HTTP by host: {@code resilience.http-client}. No annotation names its policies, the requests do by their hosts. */
public final class HttpClientKind extends ConfiguredKind<Annotation, HttpClientPolicy, HttpClient> {

    private static final int MAX_HOSTS_SHOWN = 20;
    private static final List<String> MODULES = List.of(
            "org.springframework.boot.restclient.RestClientCustomizer",
            "org.springframework.boot.webclient.WebClientCustomizer");

    public HttpClientKind() {
        super("http-client", null, null, HttpClientPolicy.defaults());
    }

    @Override
    public HttpClient create(String name, HttpClientPolicy policy, KindContext context) {
        String place = context.describe("hosts", policy.hosts());
        refuseTies(name, policy, place, context);
        policy.hosts().forEach(context::usedBy);
        Map<String, Layer> layers = new LinkedHashMap<>();
        add(layers, policy, context, CircuitBreakerKind.class, "circuit-breaker", policy.circuitBreaker());
        add(layers, policy, context, BulkheadKind.class, "bulkhead", policy.bulkhead());
        add(layers, policy, context, RetryKind.class, "retry", policy.retry());
        add(layers, policy, context, TimeLimitKind.class, "time-limit", policy.timeLimit());
        if (layers.get("retry") instanceof Retry retry) {
            look(name, retry, layers, context);
        }
        if (!policy.hosts().isEmpty() && MODULES.stream().noneMatch(module -> ClassUtils.isPresent(module, null))) {
            context.warnings()
                    .add(CLIENT_WITHOUT_MODULE.of("The http-client policy '" + name + "' protects no client by "
                            + "itself: neither the module spring-boot-restclient nor spring-boot-webclient is there. "
                            + "Add one and use its builder, or add the ResilienceHttpInterceptor to your clients"));
        }
        return new HttpClient(name, policy, place, layers, context::inOrder, context.environment());
    }

    private static <L extends LiveObject<?>> void add(
            Map<String, Layer> layers,
            HttpClientPolicy policy,
            KindContext context,
            Class<? extends ConfiguredKind<?, ?, L>> kind,
            String id,
            @Nullable String named) {
        if (named == null || named.isEmpty()) { // so an entry drops what it inherits
            return;
        }
        KindContext.Policies<L> policies = context.others(kind);
        L live = policies.find(named);
        if (live == null && !policies.isBroken(named)) {
            throw new ResilienceConfigurationException(
                    ProblemKind.POLICIES,
                    "There is no " + id + " policy '" + named + "':\n\n" + context.describe(id, named),
                    "Correct the name, or configure the policy. " + NearestNames.suggest(named, policies.names()));
        }
        if (!policy.hosts().isEmpty() && live instanceof Layer layer && context.use(kind, named)) {
            layers.put(id, layer);
        }
    }

    private static void look(String name, Retry retry, Map<String, Layer> layers, KindContext context) {
        if (retry.budget() != null) {
            context.use(RetryBudgetKind.class, retry.budget().name());
        }
        if (retry.policy().deadLetter()) {
            context.warnings()
                    .add(KEY_WITHOUT_EFFECT.of("The http-client policy '" + name + "' uses the retry policy '"
                            + retry.name() + "', whose 'dead-letter: true' has no effect there: a request cannot be "
                            + "kept. Put @Retryable on a method around it"));
        }
        List<Layer> inOrder = context.inOrder(layers);
        RetryChecks.checkJitter(retry, context.beans(Environment.class), context.warnings());
        Duration waits = RetryChecks.longestWaits(retry.policy());
        if (layers.get("time-limit") instanceof TimeLimit limit
                && limit.policy().enforce() > 0
                && inOrder.indexOf(limit) < inOrder.indexOf(retry)
                && limit.policy().timeout().compareTo(waits) < 0) {
            context.warnings()
                    .add(RETRY_BEYOND_TIME_LIMIT.of("The http-client policy '" + name + "': its time limit '"
                            + limit.name() + "' of " + limit.policy().timeout() + " is around all attempts, whose "
                            + "waits alone take up to " + waits + ". Make it longer, or retry less"));
        }
    }

    private static void refuseTies(String name, HttpClientPolicy policy, String place, KindContext context) {
        KindContext.Policies<HttpClient> others = context.others(HttpClientKind.class);
        for (String known : others.names()) {
            HttpClient other = Objects.requireNonNull(others.find(known));
            for (HostPattern theirs : other.hosts) {
                for (String written : policy.hosts()) {
                    if (HostPattern.of(written).ties(theirs)) {
                        throw new ResilienceConfigurationException(
                                ProblemKind.POLICIES,
                                "The http-client policies '" + known + "' and '" + name + "' are for the same hosts: '"
                                        + theirs + "' and '" + written + "' are equally specific:\n\n"
                                        + other.place + "\n\n" + place,
                                "Make one of the two more specific: a host goes before a pattern, a longer pattern before "
                                        + "a shorter one.");
                    }
                }
            }
        }
    }

    @Override
    public boolean isFixed(String key) {
        return !key.equals("idempotency-key") && !key.equals("stale-if-error");
    }

    @Override
    public @Nullable String withoutEffect(String key, HttpClientPolicy policy) {
        return switch (key) {
            case "per-host" ->
                because(
                        policy.perHost() && policy.circuitBreaker() == null && policy.bulkhead() == null,
                        "there is neither a circuit-breaker nor a bulkhead");
            case "retry", "circuit-breaker", "bulkhead", "time-limit", "idempotency-key", "stale-if-error" ->
                because(policy.hosts().isEmpty(), "there are no hosts");
            default -> null;
        };
    }

    @Override
    public String namedBy() {
        return "in 'extends', or give it 'hosts'";
    }

    /** Those of single hosts that are in trouble come first. */
    @Override
    public Map<String, Object> state(HttpClient client) {
        Map<String, Object> state = new LinkedHashMap<>();
        state.put("staleAnswers", client.staleAnswers.size());
        if (client.policy().perHost()) {
            state.put("hosts", client.byHost.some(MAX_HOSTS_SHOWN, HttpClient.Host::isAtWork, HttpClientKind::state));
        }
        return state;
    }

    @Override
    public @Nullable String trouble(HttpClient client) {
        long open = client.byHost.count(host -> host.parts().stream()
                .anyMatch(part -> part instanceof CircuitBreaker of && of.currentState() != CircuitState.CLOSED));
        return open > 0 ? "has hosts whose circuit breaker is not closed" : null;
    }

    @Override
    public List<Shown> shown() {
        return List.of(new Shown("stale answers kept", "staleAnswers", As.AMOUNT));
    }

    private static Map<String, Object> state(HttpClient.Host host) {
        Map<String, Object> state = new LinkedHashMap<>();
        for (PerKey<?> part : host.parts()) {
            if (part instanceof CircuitBreaker breaker) {
                state.put("state", breaker.currentState());
            } else if (part instanceof Bulkhead bulkhead) {
                state.put("running", bulkhead.running());
                state.put("queued", bulkhead.queued());
            }
        }
        return state;
    }

    @Override
    public void reset(HttpClient client) {
        client.reset();
    }
}
