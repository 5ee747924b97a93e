package dev.resilience.exception;

import dev.resilience.time.Durations;
import java.time.Duration;
import java.util.Map;

/** A rate limit had no permit for the call in time. */
public final class RateLimitExceededException extends ResilienceException {

    private final String name;
    private final Duration retryAfter;
    private final int permits;
    private final Duration period;

    /**
     * @param permits calls that the limit lets through in a period
     * @param reason why the call was refused, in words that follow "because"
     */
    public RateLimitExceededException(String name, Duration retryAfter, int permits, Duration period, String reason) {
        super("Rate limit '" + name + "' refused the call, because " + reason);
        this.name = name;
        this.retryAfter = retryAfter;
        this.permits = permits;
        this.period = period;
    }

    /** The name of the rate limit. */
    public String name() {
        return name;
    }

    /** After what time a permit may be there, always above zero. */
    @Override
    public Duration retryAfter() {
        return retryAfter;
    }

    @Override
    public boolean isPostponed() {
        return true;
    }

    /**
     * {@code RateLimit-Policy} and {@code RateLimit}, as draft-ietf-httpapi-ratelimit-headers-10 has them. A period that is no whole
     * number of seconds, which the fields need, is rounded up, and the permits are those of that time.
     */
    @Override
    public Map<String, String> httpFields() {
        long window = Durations.toSecondsUp(period);
        long quota = Duration.ofSeconds(window).multipliedBy(permits).dividedBy(period);
        String ascii = name.replaceAll("[^ -~]", "?").replaceAll("[\\\\\"]", "\\\\$0");
        String item = '"' + ascii + '"';
        return Map.of(
                "RateLimit-Policy", item + ";q=" + quota + ";w=" + window,
                "RateLimit", item + ";r=0;t=" + Durations.toSecondsUp(retryAfter));
    }
}
