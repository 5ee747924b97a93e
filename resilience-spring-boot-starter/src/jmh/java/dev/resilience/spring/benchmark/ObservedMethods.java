package dev.resilience.spring.benchmark;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Setup;

/** A call of an annotated method whose observation nothing handles, one whose is switched off, and one that is observed for meters. */
public class ObservedMethods extends MeasuredCalls {

    @Param({"no-handler", "switched-off", "observed"})
    private String observations;

    private Shop retry;
    private Shop all;

    @Setup
    public void start() {
        String metrics = "org.springframework.boot.micrometer.metrics.autoconfigure.";
        String property = switch (observations) {
            case "no-handler" ->
                "spring.autoconfigure.exclude=" + metrics + "CompositeMeterRegistryAutoConfiguration," + metrics
                        + "MetricsAutoConfiguration";
            case "switched-off" -> "management.observations.enable.resilience=false";
            default -> "management.observations.enable.resilience=true";
        };
        startWith(property, AnnotatedMethods.Application.class);
        retry = bean(Shops.Retried.class);
        all = bean(Shops.Protected.class);
    }

    @Benchmark
    public Object retry() {
        return retry.sell("item", 1);
    }

    @Benchmark
    public Object retryBreakerBulkhead() {
        return all.sell("item", 1);
    }
}
