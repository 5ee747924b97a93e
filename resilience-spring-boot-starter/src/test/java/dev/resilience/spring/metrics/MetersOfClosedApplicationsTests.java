package dev.resilience.spring.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceMetricsAutoConfiguration;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.composite.CompositeMeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.ConnectException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** A meter registry may outlive an application, or serve several. */
class MetersOfClosedApplicationsTests {

    private static ApplicationContextRunner application(MeterRegistry shared) {
        return Applications.plain(Shop.class)
                .withConfiguration(SortedOnce.of(ResilienceMetricsAutoConfiguration.class))
                .withBean(
                        "shared", MeterRegistry.class, () -> shared, definition -> definition.setDestroyMethodName(""));
    }

    static List<MeterRegistry> registries() {
        CompositeMeterRegistry composite = new CompositeMeterRegistry();
        composite.add(new SimpleMeterRegistry());
        return List.of(new SimpleMeterRegistry(), composite);
    }

    @ParameterizedTest
    @MethodSource("registries")
    void goWithTheApplication(MeterRegistry shared) {
        shared.counter("of.another.library");

        application(shared)
                .run(context -> assertThat(
                                shared.find("resilience.retry.duration").timers())
                        .isNotEmpty());

        assertThat(shared.getMeters())
                .extracting(meter -> meter.getId().getName())
                .containsExactly("of.another.library");
    }

    @ParameterizedTest
    @MethodSource("registries")
    void ofTheNextApplicationShowItsOwnObjects(MeterRegistry shared) {
        application(shared).run(context -> {
            context.getBean(Callee.class).failNext(1);
            context.getBean(Shop.class).sell();
            assertThat(retries(shared)).isEqualTo(1);
        });

        application(shared).run(context -> {
            assertThat(retries(shared)).isZero();
            context.getBean(Callee.class).failNext(2);
            context.getBean(Shop.class).sell();
            assertThat(retries(shared)).isEqualTo(2);
            assertThat(retryTimer(shared)).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @MethodSource("registries")
    void ofAnApplicationThatStartsBesideAnotherStayWhenTheOtherCloses(MeterRegistry shared) {
        application(shared)
                .run(first -> application(shared).run(second -> {
                    first.getSourceApplicationContext().close();

                    second.getBean(Callee.class).failNext(1);
                    second.getBean(Shop.class).sell();
                    breaker(second.getBean(ResilienceRegistry.class)).forceOpen();

                    assertThat(retries(shared)).isEqualTo(1);
                    assertThat(retryTimer(shared)).isEqualTo(1);
                    assertThat(shared.get("resilience.circuitbreaker.state")
                                    .tag("name", "default")
                                    .gauge()
                                    .value())
                            .isEqualTo(3);
                }));
    }

    private static dev.resilience.circuitbreaker.CircuitBreaker breaker(ResilienceRegistry registry) {
        return registry.circuitBreakers().get("default");
    }

    private static double retries(MeterRegistry registry) {
        return registry.get("resilience.retry.attempts")
                .tag("name", "three")
                .functionCounter()
                .count();
    }

    private static long retryTimer(MeterRegistry registry) {
        return registry.get("resilience.retry.duration")
                .tags("name", "three", "outcome", "success_after_retry")
                .timer()
                .count();
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("three")
        @CircuitBreaker("default")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    @Test
    void ofADefaultBeginWhenABeanThatIsMadeLateUsesItFirst() {
        Meters.application().run(context -> {
            Meters meters = Meters.of(context);
            assertThat(meters.all().keySet()).noneMatch(series -> series.contains("name=default"));

            Object proxy = context.getAutowireCapableBeanFactory().initializeBean(new Late(), "madeByHand");
            assertThatThrownBy(() -> ((Late) proxy).fail()).isInstanceOf(ConnectException.class);

            assertThat(meters.gauge("resilience.circuitbreaker.state", "name", "default"))
                    .isZero();
            assertThat(meters.count("resilience.circuitbreaker.calls", "name", "default", "outcome", "failure"))
                    .isEqualTo(1);
            assertThat(meters.all().keySet())
                    .noneMatch(series -> series.contains("bulkhead") && series.contains("name=default"));
        });
    }

    static class Late {

        @CircuitBreaker("default")
        public void fail() throws ConnectException {
            throw new ConnectException();
        }
    }
}
