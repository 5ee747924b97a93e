package dev.resilience.spring.benchmark;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.resilience.annotation.EnableResilientMethods;
import org.springframework.retry.annotation.EnableRetry;

/**
 * A call of an annotated method that succeeds, on a CGLIB proxy of the same bean: through this library, through its
 * rivals, and through an interceptor that does nothing, which is the floor for all of them.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(3)
public class AnnotatedMethods {

    private ConfigurableApplicationContext context;
    private Shop floor;
    private Shop retry;
    private Shop all;
    private Shop springFramework;
    private Shop springRetry;
    private Shop resilience4jRetry;
    private Shop resilience4jAll;

    @Setup
    public void start() {
        context = new SpringApplicationBuilder(Application.class)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .run();
        floor = context.getBean(Shops.Floor.class);
        retry = context.getBean(Shops.Retried.class);
        all = context.getBean(Shops.Protected.class);
        springFramework = context.getBean(Shops.SpringFramework.class);
        springRetry = context.getBean(Shops.SpringRetry.class);
        resilience4jRetry = context.getBean(Shops.Resilience4jRetry.class);
        resilience4jAll = context.getBean(Shops.Resilience4jAll.class);
    }

    @TearDown
    public void stop() {
        context.close();
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
