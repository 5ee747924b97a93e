package dev.resilience.spring.autoconfigure;

import dev.resilience.timelimit.TimeLimitPolicy;
import java.time.Duration;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What is written under {@code resilience.time-limit.<name>}.
 */
@ConfigurationProperties("resilience.time-limit.default") // for the metadata: the policies are bound by PolicyBinder
public final class TimeLimitProperties extends PolicyProperties<TimeLimitPolicy> {

    /** How long a call takes at the most. */
    private Duration timeout = Duration.ofSeconds(5);

    /** Where a call runs. */
    private TimeLimitPolicy.RunsOn thread = TimeLimitPolicy.RunsOn.CALLER;

    public Duration getTimeout() {
        return timeout;
    }

    public void setTimeout(Duration timeout) {
        this.timeout = timeout;
    }

    public TimeLimitPolicy.RunsOn getThread() {
        return thread;
    }

    public void setThread(TimeLimitPolicy.RunsOn thread) {
        this.thread = thread;
    }

    @Override
    TimeLimitPolicy toPolicy() {
        return TimeLimitPolicy.builder().timeout(timeout).thread(thread).build();
    }
}
