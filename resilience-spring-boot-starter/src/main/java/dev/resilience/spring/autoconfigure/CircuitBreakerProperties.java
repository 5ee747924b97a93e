package dev.resilience.spring.autoconfigure;

import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CircuitState;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;

/**
 * What is written under {@code resilience.circuit-breaker.<name>}.
 */
@ConfigurationProperties(
        "resilience.circuit-breaker.default") // for the metadata: the policies are bound by PolicyBinder
public final class CircuitBreakerProperties extends PolicyProperties<CircuitBreakerPolicy> {

    /**
     * Consecutive failures that open it while at least failure-rate-threshold of the calls of the last second failed; 0
     * switches this off.
     */
    private int failureThreshold = 5;

    /** Share of failed calls, 0 to 1, at which it opens once minimum-calls are in the window; 0 switches this off. */
    private double failureRateThreshold = 0.5;

    /** Calls that must be in the window before a rate means anything. */
    private int minimumCalls = 10;

    /** What the rates are taken over. */
    private Window window = new Window();

    /** A call longer than this is slow. None by default. */
    private @Nullable Duration slowCallDuration;

    /** Share of slow calls, 0 to 1, at which it opens; 0 switches this off. */
    private double slowCallRateThreshold = 1.0;

    /** How long it stays open; then the next call is a probe. */
    private Duration openDuration = Duration.ofSeconds(30);

    /** How much longer each open period after a failed probing is, at least 1. */
    private double openDurationMultiplier = 2.0;

    /** The longest that open periods grow to. */
    private Duration maxOpenDuration = Duration.ofMinutes(5);

    /**
     * After a probing has closed it, the share of calls that is let in grows from a tenth to all over this time; the others
     * are refused. 0 lets all in at once.
     */
    private Duration ramp = Duration.ZERO;

    /** How it is probed. */
    private HalfOpen halfOpen = new HalfOpen();

    /**
     * Exceptions that count as failures whatever their fault classification, looked for in the thrown exception and its
     * causes.
     */
    private List<Class<? extends Throwable>> recordOn = List.of();

    /** Exceptions that do not count; the class closest in the hierarchy wins, this list wins a tie. */
    private List<Class<? extends Throwable>> ignoreOn = List.of();

    /** The state at startup: closed, open, forced-open or disabled. */
    private CircuitState initialState = CircuitState.CLOSED;

    /** Whether the application is DOWN while it is open. */
    private CircuitBreakerPolicy.Health health = CircuitBreakerPolicy.Health.IGNORE;

    public int getFailureThreshold() {
        return failureThreshold;
    }

    public void setFailureThreshold(int failureThreshold) {
        this.failureThreshold = failureThreshold;
    }

    public double getFailureRateThreshold() {
        return failureRateThreshold;
    }

    public void setFailureRateThreshold(double failureRateThreshold) {
        this.failureRateThreshold = failureRateThreshold;
    }

    public int getMinimumCalls() {
        return minimumCalls;
    }

    public void setMinimumCalls(int minimumCalls) {
        this.minimumCalls = minimumCalls;
    }

    public Window getWindow() {
        return window;
    }

    public @Nullable Duration getSlowCallDuration() {
        return slowCallDuration;
    }

    public void setSlowCallDuration(@Nullable Duration slowCallDuration) {
        this.slowCallDuration = slowCallDuration;
    }

    public double getSlowCallRateThreshold() {
        return slowCallRateThreshold;
    }

    public void setSlowCallRateThreshold(double slowCallRateThreshold) {
        this.slowCallRateThreshold = slowCallRateThreshold;
    }

    public Duration getOpenDuration() {
        return openDuration;
    }

    public void setOpenDuration(Duration openDuration) {
        this.openDuration = openDuration;
    }

    public double getOpenDurationMultiplier() {
        return openDurationMultiplier;
    }

    public void setOpenDurationMultiplier(double openDurationMultiplier) {
        this.openDurationMultiplier = openDurationMultiplier;
    }

    public Duration getMaxOpenDuration() {
        return maxOpenDuration;
    }

    public void setMaxOpenDuration(Duration maxOpenDuration) {
        this.maxOpenDuration = maxOpenDuration;
    }

    public Duration getRamp() {
        return ramp;
    }

    public void setRamp(Duration ramp) {
        this.ramp = ramp;
    }

    public HalfOpen getHalfOpen() {
        return halfOpen;
    }

    public List<Class<? extends Throwable>> getRecordOn() {
        return recordOn;
    }

    public void setRecordOn(List<Class<? extends Throwable>> recordOn) {
        this.recordOn = recordOn;
    }

    public List<Class<? extends Throwable>> getIgnoreOn() {
        return ignoreOn;
    }

    public void setIgnoreOn(List<Class<? extends Throwable>> ignoreOn) {
        this.ignoreOn = ignoreOn;
    }

    public CircuitState getInitialState() {
        return initialState;
    }

    public void setInitialState(CircuitState initialState) {
        this.initialState = initialState;
    }

    public CircuitBreakerPolicy.Health getHealth() {
        return health;
    }

    public void setHealth(CircuitBreakerPolicy.Health health) {
        this.health = health;
    }

    @Override
    CircuitBreakerPolicy toPolicy() {
        return CircuitBreakerPolicy.builder()
                .failureThreshold(failureThreshold)
                .failureRateThreshold(failureRateThreshold)
                .minimumCalls(minimumCalls)
                .window(new CircuitBreakerPolicy.Window(window.type, window.duration, window.size))
                .slowCallDuration(slowCallDuration)
                .slowCallRateThreshold(slowCallRateThreshold)
                .openDuration(openDuration)
                .openDurationMultiplier(openDurationMultiplier)
                .maxOpenDuration(maxOpenDuration)
                .ramp(ramp)
                .halfOpen(new CircuitBreakerPolicy.HalfOpen(
                        halfOpen.maxConcurrent, halfOpen.successThreshold, halfOpen.probeTimeout))
                .recordOn(ExceptionClasses.checked("record-on", recordOn))
                .ignoreOn(ExceptionClasses.checked("ignore-on", ignoreOn))
                .initialState(initialState)
                .health(health)
                .build();
    }

    /** What is written under {@code window}. */
    public static final class Window {

        /** Whether the window is measured in time or in calls. */
        private CircuitBreakerPolicy.Window.Type type = CircuitBreakerPolicy.Window.Type.TIME;

        /** How far a window of type time reaches back. */
        private Duration duration = Duration.ofSeconds(60);

        /** How many calls a window of type count holds. */
        private int size = 100;

        public CircuitBreakerPolicy.Window.Type getType() {
            return type;
        }

        public void setType(CircuitBreakerPolicy.Window.Type type) {
            this.type = type;
        }

        public Duration getDuration() {
            return duration;
        }

        public void setDuration(Duration duration) {
            this.duration = duration;
        }

        public int getSize() {
            return size;
        }

        public void setSize(int size) {
            this.size = size;
        }
    }

    /** What is written under {@code half-open}. */
    public static final class HalfOpen {

        /** Probes in flight. */
        private int maxConcurrent = 1;

        /** Successes that close it; one failure opens it again. */
        private int successThreshold = 2;

        /** A probe that has not answered by then gives its place back and counts neither way. */
        private Duration probeTimeout = Duration.ofSeconds(30);

        public int getMaxConcurrent() {
            return maxConcurrent;
        }

        public void setMaxConcurrent(int maxConcurrent) {
            this.maxConcurrent = maxConcurrent;
        }

        public int getSuccessThreshold() {
            return successThreshold;
        }

        public void setSuccessThreshold(int successThreshold) {
            this.successThreshold = successThreshold;
        }

        public Duration getProbeTimeout() {
            return probeTimeout;
        }

        public void setProbeTimeout(Duration probeTimeout) {
            this.probeTimeout = probeTimeout;
        }
    }
}
