package dev.resilience.spring.metrics;

import dev.resilience.spring.Applications;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** What a monitoring system would see of an application. */
final class Meters {

    private final MeterRegistry registry;

    private Meters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** An application with a meter registry of its own, and without Boot's metrics. */
    static ApplicationContextRunner application(Class<?>... components) {
        return Applications.plain(components)
                .withConfiguration(SortedOnce.of(ResilienceMetricsAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class);
    }

    static Meters of(ApplicationContext context) {
        return new Meters(context.getBean(MeterRegistry.class));
    }

    /** A function counter's value. */
    double count(String meter, String... tags) {
        return registry.get(meter).tags(tags).functionCounter().count();
    }

    double gauge(String meter, String... tags) {
        return registry.get(meter).tags(tags).gauge().value();
    }

    Timer timer(String meter, String... tags) {
        return registry.get(meter).tags(tags).timer();
    }

    /** The counts of a meter by the value of one of its tags, without those that are 0. */
    Map<String, Integer> countsBy(String tag, String meter, String... tags) {
        return registry.find(meter).tags(tags).functionCounters().stream()
                .filter(counter -> counter.count() > 0)
                .collect(Collectors.toMap(
                        counter -> String.valueOf(counter.getId().getTag(tag)),
                        counter -> (int) counter.count(),
                        Integer::sum,
                        TreeMap::new));
    }

    /**
     * Every series of the library: {@code resilience.retry.calls[name=payments,outcome=success] COUNTER} and its value.
     */
    Map<String, Double> all() {
        Map<String, Double> all = new TreeMap<>();
        for (Meter meter : registry.getMeters()) {
            Meter.Id id = meter.getId();
            if (id.getName().startsWith("resilience.")) {
                String tags = id.getTags().stream()
                        .map(tag -> tag.getKey() + "=" + tag.getValue())
                        .collect(Collectors.joining(","));
                all.put(
                        id.getName() + "[" + tags + "] " + id.getType(),
                        meter.measure().iterator().next().getValue());
            }
        }
        return all;
    }
}
