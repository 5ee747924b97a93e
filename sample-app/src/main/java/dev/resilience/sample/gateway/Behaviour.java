package dev.resilience.sample.gateway;

import com.fasterxml.jackson.annotation.JsonCreator;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How the gateway treats its callers.
 *
 * @param errorRate the share of the calls that is answered with 503, 0 to 1
 * @param latency how long an answer takes
 * @param hang how long a call is kept waiting before its connection is dropped without an answer; zero means that
 *     calls are answered
 * @param refuse whether connections are refused
 * @param rateLimited whether every call is answered with 429
 * @param retryAfterSeconds what such an answer says in {@code Retry-After}
 * @param failNext how many of the next calls are answered with 503
 * @param loseNext how many of the next charges are made although their answer never arrives
 * @param capacity how many calls a second are answered; while there are more, all get 503; 0 means any number
 */
public record Behaviour(
        double errorRate,
        Duration latency,
        Duration hang,
        boolean refuse,
        boolean rateLimited,
        int retryAfterSeconds,
        int failNext,
        int loseNext,
        int capacity) {

    static final Behaviour GOOD = new Behaviour(0, Duration.ZERO, Duration.ZERO, false, false, 1, 0, 0, 0);

    public Behaviour {
        require(errorRate >= 0 && errorRate <= 1, "errorRate", errorRate);
        require(!latency.isNegative(), "latency", latency);
        require(!hang.isNegative(), "hang", hang);
        require(retryAfterSeconds >= 0, "retryAfterSeconds", retryAfterSeconds);
        require(failNext >= 0, "failNext", failNext);
        require(loseNext >= 0, "loseNext", loseNext);
        require(capacity >= 0, "capacity", capacity);
    }

    /** What is left out of the JSON is as in {@link #GOOD}. */
    @JsonCreator
    static Behaviour of(
            @Nullable Double errorRate,
            @Nullable Duration latency,
            @Nullable Duration hang,
            @Nullable Boolean refuse,
            @Nullable Boolean rateLimited,
            @Nullable Integer retryAfterSeconds,
            @Nullable Integer failNext,
            @Nullable Integer loseNext,
            @Nullable Integer capacity) {
        return new Behaviour(
                errorRate == null ? GOOD.errorRate : errorRate,
                latency == null ? GOOD.latency : latency,
                hang == null ? GOOD.hang : hang,
                refuse == null ? GOOD.refuse : refuse,
                rateLimited == null ? GOOD.rateLimited : rateLimited,
                retryAfterSeconds == null ? GOOD.retryAfterSeconds : retryAfterSeconds,
                failNext == null ? GOOD.failNext : failNext,
                loseNext == null ? GOOD.loseNext : loseNext,
                capacity == null ? GOOD.capacity : capacity);
    }

    Behaviour withOneFailureLess() {
        return new Behaviour(
                errorRate, latency, hang, refuse, rateLimited, retryAfterSeconds, failNext - 1, loseNext, capacity);
    }

    Behaviour withOneLossLess() {
        return new Behaviour(
                errorRate, latency, hang, refuse, rateLimited, retryAfterSeconds, failNext, loseNext - 1, capacity);
    }

    private static void require(boolean valid, String name, Object value) {
        if (!valid) {
            throw new IllegalArgumentException(name + " is out of range: " + value);
        }
    }
}
