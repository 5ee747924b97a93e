package dev.resilience.spring.registry;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.event.CircuitState;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.RetryScheduled;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.fallback.Fallback;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class LookUpTests {

    static class Shop {

        @Autowired
        Callee callee;

        @CircuitBreaker("gateway")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }

    private final ApplicationContextRunner application = Applications.plain(Shop.class)
            .withPropertyValues(
                    "resilience.circuit-breaker.gateway.failure-threshold=1",
                    "resilience.bulkhead.gateway.max-concurrent=3",
                    "resilience.retry.gateway.max-attempts=2",
                    "resilience.time-limit.gateway.timeout=2s",
                    "resilience.idempotency.gateway.ttl=1h");

    @Test
    void eachKindHasItsPoliciesByName() {
        with(registry -> {
            assertThat(registry.retry("gateway").policy().maxAttempts()).isEqualTo(2);
            assertThat(registry.circuitBreaker("gateway").policy().failureThreshold())
                    .isEqualTo(1);
            assertThat(registry.bulkhead("gateway").policy().maxConcurrent()).isEqualTo(3);
            assertThat(registry.timeLimit("gateway").policy().timeout()).hasSeconds(2);
            assertThat(registry.idempotency("gateway").policy().ttl()).hasHours(1);
            assertThat(registry.retryBudget("gateway"))
                    .isSameAs(registry.retry("gateway").budget());
            assertThat(registry.bulkheads()).containsOnlyKeys("default", "gateway");
        });
    }

    @Test
    void aNameThatIsUnknownIsAnsweredWithTheNearest() {
        with(registry -> {
            assertThatExceptionOfType(IllegalArgumentException.class)
                    .isThrownBy(() -> registry.retry("gatway"))
                    .withMessage("There is no retry policy 'gatway'. Did you mean 'gateway'?");
            assertThat(registry.find(Retry.class, "gatway")).isEmpty();
            assertThat(registry.find(Retry.class, "gateway")).isPresent();
        });
    }

    @Test
    void aClassOfNoKindIsAnsweredWithThoseThatThereAre() {
        with(registry -> assertThatThrownBy(() -> registry.all(Unknown.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("No kind has live objects of " + Unknown.class.getName())
                .hasMessageContaining(Retry.class.getName())
                .hasMessageNotContaining(Fallback.class.getName()));
    }

    interface Unknown extends LiveObject<Record> {}

    @Test
    void annotatedMethodsAndCodeShareOneCircuitBreaker() {
        application.run(context -> {
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            assertThatThrownBy(() -> registry.pipeline("gateway").run(() -> {
                        throw new ConnectException();
                    }))
                    .isInstanceOf(ConnectException.class);

            assertThatThrownBy(context.getBean(Shop.class)::sell).isInstanceOf(CircuitOpenException.class);
        });
    }

    @Test
    void aPipelineHasTheLayersOfANameInTheOrderOfTheApplication() {
        with(registry -> {
            List<Integer> running = new ArrayList<>();
            Pipeline pipeline = registry.pipeline("gateway");

            assertThatThrownBy(() -> pipeline.run(() -> {
                        running.add(registry.bulkhead("gateway").running());
                        throw new ConnectException();
                    }))
                    .isInstanceOf(ConnectException.class);

            assertThat(running).containsExactly(1, 1); // one permit for both attempts
            assertThat(registry.circuitBreaker("gateway").currentState()).isEqualTo(CircuitState.OPEN);
        });
    }

    @Test
    void anotherOrderMakesAnotherPipeline() {
        application
                .withPropertyValues("resilience.order=idempotent,retry,bulkhead,circuit-breaker,time-limit")
                .run(context -> {
                    ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
                    assertThatThrownBy(() -> registry.pipeline("gateway").run(() -> {
                                throw new ConnectException();
                            }))
                            .isInstanceOf(CircuitOpenException.class); // the second attempt
                });
    }

    @Test
    void layersOfAnyNamesCanBeComposed() {
        with(registry -> {
            List<String> calls = new ArrayList<>();
            Pipeline pipeline = registry.outermostFirst(registry.retry("two"), registry.circuitBreaker("default"));

            assertThatThrownBy(() -> pipeline.run(() -> {
                        calls.add("call");
                        throw new ConnectException();
                    }))
                    .isInstanceOf(ConnectException.class);

            assertThat(calls).hasSize(2);
        });
    }

    @Test
    void aPipelineOfAnUnknownNameIsRefused() {
        with(registry -> assertThatThrownBy(() -> registry.pipeline("gatway"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("There is no policy 'gatway'. Did you mean 'gateway'?"));
    }

    @Test
    void aListenerHearsOfOneTypeOfEvent() {
        with(registry -> {
            List<String> heard = new ArrayList<>();
            registry.onEvent(CircuitStateChanged.class, event -> heard.add(event.name() + " is " + event.to()))
                    .onEvent(RetryScheduled.class, event -> heard.add(event.name() + " goes on"));

            registry.circuitBreaker("gateway").forceOpen();

            assertThat(heard).containsExactly("gateway is FORCED_OPEN");
        });
    }

    private void with(Use use) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            use.with(context.getBean(ResilienceRegistry.class));
        });
    }

    private interface Use {

        void with(ResilienceRegistry registry);
    }
}
