package dev.resilience.spring.properties;

import dev.resilience.spring.properties.store.DeadLetterStoreProperties;
import dev.resilience.spring.properties.store.IdempotencyStoreProperties;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;

/**
 * What is written under {@code resilience} besides policies.
 *
 * @param enabled Whether annotated methods are protected at all.
 * @param order Order of the layers around a method, the outermost first: a permutation of the default, in which fallback may be
 *     left out.
 * @param adviceMode How methods are intercepted: by proxies of beans, or by AspectJ, which weaves the advice into the classes,
 *     for calls within an object and private methods too.
 * @param adviceOrder Order of the advice relative to other Spring advice; by default outside transactions and caches.
 */
@ConfigurationProperties(KnownKeys.ROOT)
public record ResilienceProperties(
        @DefaultValue("true") boolean enabled,

        @DefaultValue({"fallback", "idempotent", "bulkhead", "circuit-breaker", "retry", "time-limit"})
        List<String> order,

        @DefaultValue("proxy") AdviceMode adviceMode,

        @DefaultValue("" + (Ordered.LOWEST_PRECEDENCE - 100))
        int adviceOrder,

        @DefaultValue Async async,
        @DefaultValue Deadline deadline,

        @DefaultValue @NestedConfigurationProperty IdempotencyStoreProperties idempotencyStore,

        @DefaultValue @NestedConfigurationProperty DeadLetterStoreProperties deadLetterStore,

        @DefaultValue Registry registry) {

    /** As if nothing were written. */
    public static ResilienceProperties defaults() {
        return new Binder().bindOrCreate(KnownKeys.ROOT, ResilienceProperties.class);
    }

    /**
     * What is written under {@code resilience.registry}.
     *
     * @param maxCreated Policies of a kind that code makes at the most while the application runs.
     */
    public record Registry(@DefaultValue("1000") int maxCreated) {}

    /**
     * What is written under {@code resilience.async}.
     *
     * @param maxThreads Threads that each policy has at the most for asynchronous calls that go on after a wait. By default
     *     virtual threads as needed or, before Java 21, the larger of 16 and four for each processor.
     */
    public record Async(@Nullable Integer maxThreads) {}

    /**
     * What is written under {@code resilience.deadline}.
     *
     * @param fromRequests Whether the header of requests that come in is believed.
     * @param minimum How much time a request has at the least that comes with a deadline, unless it says that none is left.
     * @param header Name of the header that tells how many milliseconds are left for a request.
     * @param margin What is taken off when the header is written, for the way of the answer.
     */
    public record Deadline(
            @DefaultValue("true") boolean fromRequests,
            @DefaultValue("0s") Duration minimum,
            @DefaultValue("X-Request-Deadline-Ms") String header,
            @DefaultValue("100ms") Duration margin) {}
}
