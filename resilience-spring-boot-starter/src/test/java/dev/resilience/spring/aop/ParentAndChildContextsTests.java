package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.time.TimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.Advised;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;

/** A context with a parent, as {@code SpringApplicationBuilder.child} makes it. */
class ParentAndChildContextsTests {

    private static void run(ApplicationContextRunner child, ContextConsumer<AssertableApplicationContext> consumer) {
        Applications.plain(Shop.class)
                .withConfiguration(SortedOnce.of(ResilienceMetricsAutoConfiguration.class))
                .withBean(MeterRegistry.class, SimpleMeterRegistry::new)
                .run(parent -> child.withParent(parent).run(context -> {
                    assertThat(context).hasNotFailed();
                    consumer.accept(context);
                }));
    }

    /** With an auto-configuration of its own. */
    private static ApplicationContextRunner whole() {
        return new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        AopAutoConfiguration.class,
                        ResilienceAutoConfiguration.class,
                        ResilienceMetricsAutoConfiguration.class))
                .withPropertyValues(
                        "resilience.retry.default.backoff.jitter=none",
                        "resilience.retry.three.max-attempts=4",
                        "resilience.idempotency-store.type=memory")
                .withBean(Desk.class);
    }

    @Test
    void protectEachBeanOnceByThePoliciesOfItsOwnContext() {
        run(whole(), child -> {
            Callee callee = child.getBean(Callee.class);
            Shop ofParent = child.getParent().getBean(Shop.class);
            assertThat(callee.attemptsOf(ofParent::sell)).isEqualTo(3);
            assertThat(callee.attemptsOf(child.getBean(Desk.class)::sell)).isEqualTo(4);
            assertThat(advisors(ofParent)).isEqualTo(1);
            assertThat(advisors(child.getBean(Desk.class))).isEqualTo(1);
        });
    }

    @Test
    void haveLiveObjectsOfTheirOwnAndShareBeansOfTheApplication() {
        run(whole(), child -> {
            ApplicationContext parent = child.getParent();
            ResilienceRegistry ofChild = child.getBean(ResilienceRegistry.class);
            ResilienceRegistry ofParent = parent.getBean(ResilienceRegistry.class);
            assertThat(ofChild.circuitBreakers().get("default"))
                    .isNotSameAs(ofParent.circuitBreakers().get("default"));
            assertThat(child.getBean(TimeSource.class)).isSameAs(parent.getBean(TimeSource.class));

            MeterRegistry meters = child.getBean(MeterRegistry.class);
            ofChild.circuitBreakers().get("default").forceOpen();
            assertThat(state(meters)).as("of the parent").isZero();
            ofParent.circuitBreakers().get("default").forceOpen();
            assertThat(state(meters)).as("of the parent").isEqualTo(3);
        });
    }

    @Test
    void aChildHasATimeOfItsOwnBesideTheParentsDefault() {
        ApplicationContextRunner parent = new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class, ResilienceAutoConfiguration.class));
        parent.run(parentContext -> whole().withBean(ManualTimeSource.class)
                .withBean(Callee.class)
                .withParent(parentContext)
                .run(child -> {
                    assertThat(child).hasNotFailed();
                    TimeSource time = child.getBean("manualTimeSource", TimeSource.class);
                    assertThat(child.getBean(TimeSource.class)).isSameAs(time);
                    assertThat(child.getBean(Callee.class).attemptsOf(child.getBean(Desk.class)::sell))
                            .isEqualTo(4);
                    assertThat(time.nanoTime()).as("of the waits").isPositive();
                }));
    }

    private static double state(MeterRegistry meters) {
        return meters.get("resilience.circuitbreaker.state")
                .tag("name", "default")
                .gauge()
                .value();
    }

    @Test
    void aChildWithoutAnAutoConfigurationOfItsOwnHasTheParentsProtection() {
        ApplicationContextRunner plain = new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(AopAutoConfiguration.class))
                .withBean(Desk.class);
        run(plain, child -> {
            Callee callee = child.getBean(Callee.class);
            assertThat(callee.attemptsOf(child.getBean(Desk.class)::sell)).isEqualTo(3);
        });
    }

    private static long advisors(Object bean) {
        return Arrays.stream(((Advised) bean).getAdvisors())
                .filter(ResilienceAdvisor.class::isInstance)
                .count();
    }

    static class Shop {

        @Autowired
        Callee callee;

        @CircuitBreaker("default")
        @Retryable("three")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    static class Desk extends Shop {}
}
