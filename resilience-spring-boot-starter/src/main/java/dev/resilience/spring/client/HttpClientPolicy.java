package dev.resilience.spring.client;

import dev.resilience.policy.Require;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What protects the requests to some hosts. Immutable; every value is checked when the record is made.
 *
 * @param hosts the hosts, each as {@code api.example.com}, {@code *.example.com} (a star stands for any characters) or {@code
 *     localhost:8080}; without a port all ports. Where several entries match, the most specific pattern wins: a name before a
 *     pattern, then the one with more characters that are no stars, then one with a port
 * @param retry name of a retry policy; {@code null} for none
 * @param circuitBreaker name of a circuit breaker policy; {@code null} for none
 * @param bulkhead name of a bulkhead policy; {@code null} for none
 * @param timeLimit name of a time limit policy; {@code null} for none
 * @param perHost whether each host has a circuit breaker and a bulkhead of its own, made of these policies: at most 1,000
 *     hosts, those that were called last
 * @param idempotencyKey where a POST or PATCH that is not inside an idempotent method gets its {@code Idempotency-Key} from
 * @param staleIfError how old an answer to a GET may be that is served when all else has failed (RFC 5861, section 4); {@code
 *     null} for none
 */
public record HttpClientPolicy(
        List<String> hosts,
        @Nullable String retry,
        @Nullable String circuitBreaker,
        @Nullable String bulkhead,
        @Nullable String timeLimit,
        boolean perHost,
        IdempotencyKey idempotencyKey,
        @Nullable Duration staleIfError) {

    /** Where the key of a POST or PATCH comes from that its caller gives none. */
    public enum IdempotencyKey {
        /** It has none, unless an idempotent method sends it. */
        NONE,
        /** One is made for each, the same for all its attempts. */
        GENERATE
    }

    public HttpClientPolicy {
        hosts = List.copyOf(hosts);
        hosts.forEach(HostPattern::of);
        if (staleIfError != null) {
            Require.positive("stale-if-error", staleIfError);
        }
    }

    static HttpClientPolicy defaults() {
        return new HttpClientPolicy(List.of(), null, null, null, null, false, IdempotencyKey.NONE, null);
    }
}
