package com.example;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.pipeline.Layer;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.pipeline.Step;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.actuate.ResilienceHealthIndicator;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.Kind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.Kinds;
import dev.resilience.spring.registry.RegistryInternals;
import java.lang.annotation.Annotation;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.util.unit.DataSize;

/** Kinds of an application that have numbers of every type, share a place in the order, or the name of a policy. */
class OwnKindsTests {

    private static final List<String> WITHOUT_FALLBACK =
            List.of("idempotent", "bulkhead", "circuit-breaker", "retry", "time-limit");

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    ResilienceAutoConfiguration.class,
                    ResilienceActuatorAutoConfiguration.class))
            .withPropertyValues(
                    "resilience.idempotency-store.type=memory", "resilience.circuit-breaker.partners.minimum-calls=3")
            .withBean("gate", Gate.class, () -> new Gate("gate", Gated.class, "bulkhead"))
            .withBean(Shop.class);

    @Test
    void numbersAndSizesOfAPolicyAreBound() {
        application
                .withPropertyValues(
                        "resilience.gate.partners.count=5",
                        "resilience.gate.partners.share=0.5",
                        "resilience.gate.partners.buffer=2KB",
                        "resilience.gate.partners.bytes=3KB")
                .run(context -> {
                    Map<String, Gatekeeper> gates =
                            context.getBean(ResilienceRegistry.class).all(Gatekeeper.class);
                    assertThat(gates.get("partners").policy())
                            .isEqualTo(new Limits(5, 0.5, DataSize.ofKilobytes(2), 3 * 1024));
                });
    }

    @Test
    void healthTellsOfPoliciesOfOneNameByTheirKind() {
        application
                .withPropertyValues("resilience.gate.partners.count=5")
                .run(context -> assertThat(context.getBean(ResilienceHealthIndicator.class)
                                .health()
                                .getDetails())
                        .containsEntry("partners", "CLOSED")
                        .containsEntry("gate/partners", "SHUT"));
    }

    @Test
    void layersThatTheOrderLeavesOutKeepTheirPlaces() {
        application
                .withPropertyValues(
                        "resilience.gate.partners.count=5", "resilience.order=" + String.join(",", WITHOUT_FALLBACK))
                .withBean("first", Gate.class, () -> new Gate("first", First.class, "bulkhead"))
                .withBean("second", Gate.class, () -> new Gate("second", Second.class, "first"))
                .withBean("outermost", Gate.class, () -> new Gate("outermost", Outermost.class, null))
                .run(context -> {
                    Kinds kinds = context.getBean(Kinds.class);
                    assertThat(RegistryInternals.order(context.getBean(ResilienceRegistry.class)))
                            .isEqualTo(kinds.layers());
                    assertThat(kinds.layers().stream().map(Kind::layerName)).startsWith("outermost", "fallback");
                });
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Gated {
        String value() default "";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface First {
        String value() default "";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Second {
        String value() default "";
    }

    @Retention(RetentionPolicy.RUNTIME)
    @interface Outermost {
        String value() default "";
    }

    static class Shop {

        @Gated("partners")
        @CircuitBreaker("partners")
        public void order() {}
    }

    public record Limits(int count, double share, DataSize buffer, long bytes) {}

    record Gatekeeper(String name, Limits policy) implements LiveObject<Limits>, Layer {

        @Override
        public Step around(Step next) {
            return next;
        }
    }

    static final class Gate extends ConfiguredKind<Annotation, Limits, Gatekeeper> {

        @SuppressWarnings("unchecked") // the methods of this test have it
        Gate(String id, Class<? extends Annotation> annotation, @Nullable String inside) {
            super(id, (Class<Annotation>) annotation, inside, new Limits(1, 1, DataSize.ofBytes(1), 1));
        }

        @Override
        public Gatekeeper create(String name, Limits policy, KindContext context) {
            return new Gatekeeper(name, policy);
        }

        @Override
        public Map<String, Object> state(Gatekeeper gate) {
            return Map.of();
        }

        @Override
        public Health health(Gatekeeper gate) {
            return new Health("SHUT", false);
        }
    }
}
