package dev.resilience.spring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Small applications for tests. Their time is manual and their backoff is not random: 1 s, 2 s, 4 s. */
public final class Applications {

    private Applications() {}

    /** The starter, a {@link Callee} and some components; retry policies are named by their attempts, two to five. */
    public static ApplicationContextRunner plain(Class<?>... components) {
        return new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class))
                .withPropertyValues(
                        "resilience.retry.default.backoff.jitter=none",
                        "resilience.retry.two.max-attempts=2",
                        "resilience.retry.three.max-attempts=3",
                        "resilience.retry.four.max-attempts=4",
                        "resilience.retry.five.max-attempts=5",
                        "resilience.retry.at-once.backoff.base-delay=0",
                        "resilience.idempotency-store.type=memory")
                .withBean(ManualTimeSource.class)
                .withBean(Callee.class)
                .withUserConfiguration(components);
    }

    /** The startup warnings of {@link #plain} with some components. */
    public static List<String> warnings(Class<?>... components) {
        List<String> warnings = new ArrayList<>();
        plain(components).run(context -> {
            assertThat(context).hasNotFailed();
            warnings.addAll(context.getBean(StartupWarnings.class).all());
        });
        return warnings;
    }

    /** Runs {@link #plain} with one component. */
    public static <B> void with(Class<B> component, Use<B> use) {
        plain(component).run(context -> {
            assertThat(context).hasNotFailed();
            use.with(context.getBean(component), context.getBean(Callee.class));
        });
    }

    /** What a test does with a bean. */
    @FunctionalInterface
    public interface Use<B> {

        void with(B bean, Callee callee) throws Throwable;
    }
}
