package dev.resilience.spring.properties;

import dev.resilience.spring.properties.store.DeadLetterStoreProperties;
import dev.resilience.spring.properties.store.IdempotencyStoreProperties;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.NestedConfigurationProperty;
import org.springframework.context.annotation.AdviceMode;
import org.springframework.core.Ordered;

/** What is written under {@code resilience} besides policies. */
@ConfigurationProperties("resilience")
public final class ResilienceProperties {

    /** Whether annotated methods are protected at all. */
    private boolean enabled = true;

    /** Order of the layers around a method, the outermost first: a permutation of the default, in which fallback may be left out. */
    private List<String> order =
            List.of("fallback", "idempotent", "bulkhead", "circuit-breaker", "retry", "time-limit");

    /**
     * How methods are intercepted: by proxies of beans, or by AspectJ, which weaves the advice into the classes, for calls
     * within an object and private methods too.
     */
    private AdviceMode adviceMode = AdviceMode.PROXY;

    /** Order of the advice relative to other Spring advice; by default outside transactions and caches. */
    private int adviceOrder = Ordered.LOWEST_PRECEDENCE - 100;

    private final Async async = new Async();

    private final Deadline deadline = new Deadline();

    @NestedConfigurationProperty
    private final IdempotencyStoreProperties idempotencyStore = new IdempotencyStoreProperties();

    @NestedConfigurationProperty
    private final DeadLetterStoreProperties deadLetterStore = new DeadLetterStoreProperties();

    private final Registry registry = new Registry();

    public boolean isEnabled() {
        return enabled;
    }

    public void setEnabled(boolean enabled) {
        this.enabled = enabled;
    }

    public List<String> getOrder() {
        return order;
    }

    public void setOrder(List<String> order) {
        this.order = order;
    }

    public AdviceMode getAdviceMode() {
        return adviceMode;
    }

    public void setAdviceMode(AdviceMode adviceMode) {
        this.adviceMode = adviceMode;
    }

    public int getAdviceOrder() {
        return adviceOrder;
    }

    public void setAdviceOrder(int adviceOrder) {
        this.adviceOrder = adviceOrder;
    }

    public Async getAsync() {
        return async;
    }

    public Deadline getDeadline() {
        return deadline;
    }

    public IdempotencyStoreProperties getIdempotencyStore() {
        return idempotencyStore;
    }

    public DeadLetterStoreProperties getDeadLetterStore() {
        return deadLetterStore;
    }

    public Registry getRegistry() {
        return registry;
    }

    /** What is written under {@code resilience.registry}. */
    public static final class Registry {

        /** Policies of a kind that code makes at the most while the application runs. */
        private int maxCreated = 1000;

        public int getMaxCreated() {
            return maxCreated;
        }

        public void setMaxCreated(int maxCreated) {
            this.maxCreated = maxCreated;
        }
    }

    /** What is written under {@code resilience.async}. */
    public static final class Async {

        /**
         * Threads that each policy has at the most for asynchronous calls that go on after a wait. By default virtual
         * threads as needed or, before Java 21, the larger of 16 and four for each processor.
         */
        private @Nullable Integer maxThreads;

        public @Nullable Integer getMaxThreads() {
            return maxThreads;
        }

        public void setMaxThreads(@Nullable Integer maxThreads) {
            this.maxThreads = maxThreads;
        }
    }

    /** What is written under {@code resilience.deadline}. */
    public static final class Deadline {

        /** Whether the header of requests that come in is believed. */
        private boolean fromRequests = true;

        /** How much time a request has at the least that comes with a deadline, unless it says that none is left. */
        private Duration minimum = Duration.ZERO;

        /** Name of the header that tells how many milliseconds are left for a request. */
        private String header = "X-Request-Deadline-Ms";

        /** What is taken off when the header is written, for the way of the answer. */
        private Duration margin = Duration.ofMillis(100);

        public boolean isFromRequests() {
            return fromRequests;
        }

        public void setFromRequests(boolean fromRequests) {
            this.fromRequests = fromRequests;
        }

        public Duration getMinimum() {
            return minimum;
        }

        public void setMinimum(Duration minimum) {
            this.minimum = minimum;
        }

        public String getHeader() {
            return header;
        }

        public void setHeader(String header) {
            this.header = header;
        }

        public Duration getMargin() {
            return margin;
        }

        public void setMargin(Duration margin) {
            this.margin = margin;
        }
    }
}
