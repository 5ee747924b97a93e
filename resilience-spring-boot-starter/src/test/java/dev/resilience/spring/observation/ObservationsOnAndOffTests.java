package dev.resilience.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;

import dev.resilience.annotation.Retryable;
import dev.resilience.context.CallContext;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.log.CapturedLines;
import io.micrometer.common.KeyValues;
import io.micrometer.observation.GlobalObservationConvention;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import java.net.ConnectException;
import java.util.Arrays;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.micrometer.observation.autoconfigure.ObservationAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class ObservationsOnAndOffTests {

    private final Recorded recorded = new Recorded();

    /** Whether anything of the observation is around the method when it runs. */
    private static void assertObserved(ApplicationContextRunner application, boolean isObserved) {
        application.run(context -> {
            assertThat(context).hasNotFailed();
            assertThat(context.getBean(Shop.class).isObserved()).isEqualTo(isObserved);
        });
    }

    private static ApplicationContextRunner with(ObservationRegistry registry) {
        return Applications.plain(Shop.class).withBean(ObservationRegistry.class, () -> registry);
    }

    @Test
    void aMethodIsObservedWhereAHandlerIs() {
        assertObserved(recorded.application(Shop.class), true);
    }

    @Test
    void withoutARegistryNothingIsAroundTheMethod() {
        assertObserved(Applications.plain(Shop.class), false);
    }

    @Test
    void withARegistryThatHasNoHandlerNothingIsAroundTheMethod() {
        assertObserved(with(ObservationRegistry.create()), false);
        assertObserved(with(ObservationRegistry.NOOP), false);
    }

    @Test
    void withAPredicateThatSwitchesItOffNothingIsAroundTheMethod() {
        recorded.registry().observationConfig().observationPredicate((name, call) -> !name.startsWith("resilience."));

        assertObserved(recorded.application(Shop.class), false);
    }

    @Test
    void bootsOwnPropertySwitchesItOff() {
        ApplicationContextRunner application = Applications.plain(Shop.class)
                .withConfiguration(SortedOnce.of(ObservationAutoConfiguration.class))
                .withBean(Recorded.class, Recorded::new);

        assertObserved(application, true);
        assertObserved(application.withPropertyValues("management.observations.enable.resilience=false"), false);
    }

    @Test
    void withoutMicrometerTheApplicationStarts() {
        assertObserved(
                Applications.plain(Shop.class).withClassLoader(new FilteredClassLoader("io.micrometer.observation")),
                false);
    }

    @Test
    void aMethodWhosePoliciesAreAllSwitchedOffIsNotObserved() {
        assertObserved(
                recorded.application(Shop.class).withPropertyValues("resilience.retry.default.enabled=false"), false);
    }

    /** It is decided at startup, so that calls that nothing observes pay nothing. */
    @Test
    void aHandlerThatComesWhenTheApplicationRunsGetsNoCalls() {
        ObservationRegistry registry = ObservationRegistry.create();
        with(registry).run(context -> {
            registry.observationConfig().observationHandler(recorded);

            assertThat(context.getBean(Shop.class).isObserved()).isFalse();
            assertThat(recorded.lines()).isEmpty();
        });
    }

    @Test
    void aPredicateMaySwitchOffASingleMethod() {
        recorded.registry()
                .observationConfig()
                .observationPredicate((name, call) ->
                        !(call instanceof ProtectedCallContext) || !"Shop.now".equals(call.getContextualName()));

        recorded.application(Shop.class).run(context -> {
            context.getBean(Shop.class).now();
            assertThat(recorded.lines()).isEmpty();
            assertThat(context.getBean(Shop.class).isObserved()).isTrue();
        });
    }

    /** It has no layer of its own, and what happens to it is none of the call's around it. */
    @Test
    void aCallThatIsNotObservedIsNoAttemptOfTheOneAroundIt() {
        recorded.registry()
                .observationConfig()
                .observationPredicate((name, call) -> !"Shop.now".equals(call.getContextualName()));

        recorded.application(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            assertThatThrownBy(() -> shop.around(context.getBean(Callee.class).failNext(1), shop::now))
                    .isInstanceOf(ConnectException.class);

            assertThat(recorded.events()).containsExactly("attempt 1");
            assertThat(recorded.keys()).contains(entry("outcome", "failure"), entry("attempts", "1"));
        });
    }

    @Test
    void aPredicateMayDecideForEachCall() {
        AtomicBoolean wanted = new AtomicBoolean(true);
        recorded.registry().observationConfig().observationPredicate((name, call) -> wanted.get());

        recorded.application(Shop.class).run(context -> {
            Shop shop = context.getBean(Shop.class);
            wanted.set(false);
            assertThat(shop.isObserved()).isFalse();
            wanted.set(true);
            assertThat(shop.isObserved()).isTrue();
        });
    }

    @Test
    void aPredicateThatThrowsHurtsNoCall() {
        recorded.registry().observationConfig().observationPredicate((name, call) -> {
            throw new IllegalStateException("broken");
        });
        try (CapturedLines log = CapturedLines.of(ObservedMethods.class)) {
            recorded.application(Shop.class).run(context -> {
                Shop shop = context.getBean(Shop.class);
                assertThat(shop.isObserved()).isFalse();
                assertThat(shop.later().join()).isEqualTo("answer 1");
            });
            assertThat(log.single().getFormattedMessage())
                    .startsWith("Observations 'all': a predicate of observations failed, so calls are not");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"onStart", "onScopeOpened", "onEvent", "onError", "onScopeClosed", "onStop"})
    void aHandlerThatThrowsHurtsNoCall(String where) {
        ObservationRegistry registry = ObservationRegistry.create();
        registry.observationConfig().observationHandler(new Broken(where));
        try (CapturedLines log = CapturedLines.of(ObservedMethods.class);
                CapturedLines events = CapturedLines.of(dev.resilience.event.EventPublisher.class)) {
            with(registry).run(context -> {
                Shop shop = context.getBean(Shop.class);
                assertThat(shop.now()).isEqualTo("answer 1");
                assertThat(shop.later().join()).isEqualTo("answer 2");
                context.getBean(Callee.class).failNext(1);
                assertThatThrownBy(shop::now).isInstanceOf(ConnectException.class);

                assertThat(registry.getCurrentObservationScope()).isNull();
                assertThat(CallContext.ofThread()[CallContext.OBSERVER]).isNull();
            });
            assertThat(log.single().getFormattedMessage())
                    .isEqualTo(
                            "Observations 'all': a handler of observations failed, so observations are incomplete. Logged once.");
            assertThat(events.all()).isEmpty();
        }
    }

    @Test
    void aConventionAndAFilterOfTheApplicationChangeNameAndKeys() {
        recorded.registry()
                .observationConfig()
                .observationConvention(new Renamed())
                .observationFilter(call -> call.removeLowCardinalityKeyValue("policy"));

        recorded.application(Shop.class).run(context -> {
            context.getBean(Shop.class).now();

            assertThat(recorded.ended().get(0).getName()).isEqualTo("calls");
            assertThat(recorded.keys()).contains(entry("region", "north"), entry("attempts", "1"));
            assertThat(recorded.keys()).doesNotContainKey("policy");
        });
    }

    private static final class Renamed implements GlobalObservationConvention<ProtectedCallContext> {

        @Override
        public String getName() {
            return "calls";
        }

        @Override
        public KeyValues getLowCardinalityKeyValues(ProtectedCallContext call) {
            return KeyValues.of("region", "north");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return context instanceof ProtectedCallContext;
        }
    }

    /** A handler one of whose methods throws. */
    private record Broken(String where) implements ObservationHandler<Observation.Context> {

        private void in(String method) {
            if (method.equals(where)) {
                throw new IllegalStateException("broken");
            }
        }

        @Override
        public void onStart(Observation.Context context) {
            in("onStart");
        }

        @Override
        public void onError(Observation.Context context) {
            in("onError");
        }

        @Override
        public void onEvent(Observation.Event event, Observation.Context context) {
            in("onEvent");
        }

        @Override
        public void onScopeOpened(Observation.Context context) {
            in("onScopeOpened");
        }

        @Override
        public void onScopeClosed(Observation.Context context) {
            in("onScopeClosed");
        }

        @Override
        public void onStop(Observation.Context context) {
            in("onStop");
        }

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }
    }

    public static class Shop { // a class loader of its own makes the proxy

        @Autowired
        private Callee callee;

        @Retryable("default")
        public boolean isObserved() {
            boolean isInStack = Arrays.stream(Thread.currentThread().getStackTrace())
                    .anyMatch(frame -> frame.getClassName().endsWith("ObservationStep"));
            return isInStack && CallContext.ofThread()[CallContext.OBSERVER] != null;
        }

        @Retryable(maxAttempts = 1)
        public String now() throws ConnectException {
            return callee.call();
        }

        @Retryable(maxAttempts = 1)
        public Object around(Callee down, Callable<?> inside) throws Exception {
            return inside.call();
        }

        @Retryable("default")
        public CompletableFuture<String> later() {
            return callee.callAsync();
        }
    }
}
