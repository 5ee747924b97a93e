package dev.resilience.spring.autoconfigure;

import dev.resilience.bulkhead.BulkheadPolicy;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What is written under {@code resilience.bulkhead.<name>}.
 */
@ConfigurationProperties("resilience.bulkhead.default") // for the metadata: the policies are bound by PolicyBinder
public final class BulkheadProperties extends PolicyProperties<BulkheadPolicy> {

    /** What limits the calls. */
    private BulkheadPolicy.Type type = BulkheadPolicy.Type.SEMAPHORE;

    /** Calls that run at once. */
    private int maxConcurrent = 10;

    /** Calls that wait in line, first come, first served; 0 refuses at once. */
    private int maxQueue = 50;

    /** How long a call waits in line at the most. */
    private Duration queueTimeout = Duration.ofSeconds(30);

    /** Whether a thread pool uses virtual threads (JDK 21 and later). */
    private boolean virtualThreads = false;

    public BulkheadPolicy.Type getType() {
        return type;
    }

    public void setType(BulkheadPolicy.Type type) {
        this.type = type;
    }

    public int getMaxConcurrent() {
        return maxConcurrent;
    }

    public void setMaxConcurrent(int maxConcurrent) {
        this.maxConcurrent = maxConcurrent;
    }

    public int getMaxQueue() {
        return maxQueue;
    }

    public void setMaxQueue(int maxQueue) {
        this.maxQueue = maxQueue;
    }

    public Duration getQueueTimeout() {
        return queueTimeout;
    }

    public void setQueueTimeout(Duration queueTimeout) {
        this.queueTimeout = queueTimeout;
    }

    public boolean isVirtualThreads() {
        return virtualThreads;
    }

    public void setVirtualThreads(boolean virtualThreads) {
        this.virtualThreads = virtualThreads;
    }

    @Override
    BulkheadPolicy toPolicy() {
        return BulkheadPolicy.builder()
                .type(type)
                .maxConcurrent(maxConcurrent)
                .maxQueue(maxQueue)
                .queueTimeout(queueTimeout)
                .virtualThreads(virtualThreads)
                .build();
    }
}
