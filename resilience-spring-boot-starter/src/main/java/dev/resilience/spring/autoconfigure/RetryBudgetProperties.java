package dev.resilience.spring.autoconfigure;

import dev.resilience.retry.RetryBudgetPolicy;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What is written under {@code resilience.retry-budget.<name>}.
 */
@ConfigurationProperties("resilience.retry-budget.default") // for the metadata: the policies are bound by PolicyBinder
public final class RetryBudgetProperties extends PolicyProperties<RetryBudgetPolicy> {

    /** Retries allowed for each first attempt in the window. */
    private double maxRatio = 0.1;

    /** Length of the sliding window. */
    private Duration window = Duration.ofSeconds(10);

    /** Retries per second of the window that are always allowed. */
    private int minRetriesPerSecond = 10;

    public double getMaxRatio() {
        return maxRatio;
    }

    public void setMaxRatio(double maxRatio) {
        this.maxRatio = maxRatio;
    }

    public Duration getWindow() {
        return window;
    }

    public void setWindow(Duration window) {
        this.window = window;
    }

    public int getMinRetriesPerSecond() {
        return minRetriesPerSecond;
    }

    public void setMinRetriesPerSecond(int minRetriesPerSecond) {
        this.minRetriesPerSecond = minRetriesPerSecond;
    }

    @Override
    RetryBudgetPolicy toPolicy() {
        return RetryBudgetPolicy.builder()
                .maxRatio(maxRatio)
                .window(window)
                .minRetriesPerSecond(minRetriesPerSecond)
                .build();
    }
}
