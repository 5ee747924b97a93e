package dev.resilience.spring.benchmark;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Setup;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;

/**
 * A call of an annotated method that succeeds, on a CGLIB proxy of the same bean: through this library, through its
 * rivals, and through an interceptor that does nothing, which is the floor for all of them.
 */
public class AnnotatedMethods extends MeasuredCalls {

    private Shop floor;
    private Shop retry;
    private Shop all;
    private Shop springFramework;
    private Shop springRetry;
    private Shop resilience4jRetry;
    private Shop resilience4jAll;

    @Setup
    public void start() {
        start(Application.class);
        floor = bean(Shops.Floor.class);
        retry = bean(Shops.Retried.class);
        all = bean(Shops.Protected.class);
        springFramework = bean(Shops.SpringFramework.class);
        springRetry = bean(Shops.SpringRetry.class);
        resilience4jRetry = bean(Shops.Resilience4jRetry.class);
        resilience4jAll = bean(Shops.Resilience4jAll.class);
    }

    @Benchmark
    public Object floor() {
        return floor.sell("item", 1);
    }

    @Benchmark
    public Object retry() {
        return retry.sell("item", 1);
    }

    @Benchmark
    public Object retryBreakerBulkhead() {
        return all.sell("item", 1);
    }

    @Benchmark
    public Object springFrameworkRetry() {
        return springFramework.sell("item", 1);
    }

    @Benchmark
    public Object springRetry() {
        return springRetry.sell("item", 1);
    }

    @Benchmark
    public Object resilience4jRetry() {
        return resilience4jRetry.sell("item", 1);
    }

    @Benchmark
    public Object resilience4jRetryBreakerBulkhead() {
        return resilience4jAll.sell("item", 1);
    }

    @EnableRetry(proxyTargetClass = true)
    @EnableResilientMethods(proxyTargetClass = true)
    @EnableAutoConfiguration
    static class Application extends Shops {}
}
