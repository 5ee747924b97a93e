package dev.resilience.spring.benchmark;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.boot.Banner;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;

/** What benchmarks of calls in one application have in common, so that one run compares them. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Fork(3)
public abstract class MeasuredCalls {

    private ConfigurableApplicationContext context;

    /** Without observations, which rivals do not make either. */
    void start(Class<?>... configurations) {
        startWith("management.observations.enable.resilience=false", configurations);
    }

    void startWith(String property, Class<?>... configurations) {
        context = run(configurations, property);
    }

    /** Runs an application without the servers and gateways that are on the class path of the benchmarks. */
    static ConfigurableApplicationContext run(Class<?>[] configurations, String... properties) {
        return new SpringApplicationBuilder(configurations)
                .web(WebApplicationType.NONE)
                .bannerMode(Banner.Mode.OFF)
                .properties(
                        "spring.cloud.compatibility-verifier.enabled=false",
                        "spring.cloud.gateway.server.webflux.enabled=false",
                        "spring.cloud.gateway.server.webflux.redis.enabled=false")
                .properties(properties)
                .run();
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @TearDown
    public void stop() {
        context.close();
    }
}
