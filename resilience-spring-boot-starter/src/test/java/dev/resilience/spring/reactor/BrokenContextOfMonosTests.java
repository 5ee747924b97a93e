package dev.resilience.spring.reactor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Idempotent;
import dev.resilience.context.ContextCarrier;
import dev.resilience.spring.Applications;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import io.micrometer.context.ContextRegistry;
import io.micrometer.context.ThreadLocalAccessor;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;
import reactor.test.StepVerifier;

/** What takes a caller's thread-locals along is the application's: a Mono ends, whatever that does. */
@Timeout(60)
class BrokenContextOfMonosTests {

    private static final String KEY = "broken accessor";
    private static final Duration LONG = Duration.ofSeconds(20);

    private void with(Class<?> carrier, Consumer<Payments> use) {
        Applications.plain(Payments.class, carrier)
                .withConfiguration(SortedOnce.of(JacksonAutoConfiguration.class))
                .withPropertyValues("resilience.bulkhead.b.max-concurrent=1")
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.accept(context.getBean(Payments.class));
                    assertThat(context.getBean(ResilienceRegistry.class)
                                    .bulkhead("b")
                                    .running())
                            .isZero();
                });
    }

    private void with(ThreadLocalAccessor<String> accessor, Consumer<Payments> use) {
        ContextRegistry.getInstance().registerThreadLocalAccessor(accessor);
        with(Nothing.class, use);
    }

    @AfterEach
    void removeAccessor() {
        ContextRegistry.getInstance().removeThreadLocalAccessor(KEY);
        Schedulers.resetOnScheduleHook(KEY);
    }

    @Test
    void aCarrierThatThrowsOnTheThreadOfTheStoreFailsTheMono() {
        with(Throwing.class, payments -> {
            StepVerifier.create(payments.pay("k"))
                    .expectErrorMessage("no carrier")
                    .verify(LONG);
            assertThat(payments.calls()).hasValue(0);
        });
    }

    @Test
    void aCarrierThatDoesNotRunWhatItHasWrappedFailsTheMono() {
        with(
                Lazy.class,
                payments -> StepVerifier.create(payments.pay("k"))
                        .expectErrorSatisfies(failure -> assertThat(failure)
                                .isInstanceOf(IllegalStateException.class)
                                .hasMessageContaining("did not run"))
                        .verify(LONG));
    }

    @Test
    void aCarrierThatRunsWhatItHasWrappedTwiceMakesOneCall() {
        with(Twice.class, payments -> {
            StepVerifier.create(payments.pay("k"))
                    .expectNext("paid")
                    .expectComplete()
                    .verify(LONG);
            assertThat(payments.calls()).hasValue(1);
        });
    }

    @Test
    void aCarrierThatThrowsBehindTheCallChangesNothing() {
        with(
                ThrowingBehind.class,
                payments -> StepVerifier.create(payments.pay("k"))
                        .expectNext("paid")
                        .expectComplete()
                        .verify(LONG));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAccessorThatThrowsFailsAnIdempotentMonoWhereverTheValueIs(boolean inReactorsContext) {
        Accessor accessor = new Accessor(BrokenContextOfMonosTests::fail, () -> {});
        if (!inReactorsContext) {
            accessor.ofThread.set("caller");
        }
        with(
                accessor,
                payments -> StepVerifier.create(payments.pay("k")
                                .contextWrite(reactor -> inReactorsContext ? reactor.put(KEY, "a") : reactor))
                        .expectErrorMessage("no accessor")
                        .verify(LONG));
    }

    /** The call has begun by then. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void anAccessorThatThrowsWhenItPutsBackChangesNothing(boolean isFlux) {
        Accessor accessor = new Accessor(() -> {}, BrokenContextOfMonosTests::fail);
        with(accessor, payments -> {
            Flux<String> call = isFlux ? payments.stream() : payments.pay("k").flux();
            StepVerifier.create(call.contextWrite(reactor -> reactor.put(KEY, "a")))
                    .expectNext("paid")
                    .expectComplete()
                    .verify(LONG);
        });
    }

    /** With whatever the scheduler refuses the work. */
    @Test
    void aResultForWhichNoThreadIsToBeHadReachesTheSubscriber() {
        with(Nothing.class, payments -> {
            payments.beforeItEnds(() -> Schedulers.onScheduleHook(KEY, task -> {
                throw new IllegalStateException("no thread");
            }));
            StepVerifier.create(payments.payLater("k"))
                    .expectNext("paid")
                    .expectComplete()
                    .verify(LONG);
        });
    }

    static class Payments {

        private final AtomicInteger calls = new AtomicInteger();
        private Runnable beforeItEnds = () -> {};

        AtomicInteger calls() {
            return calls;
        }

        void beforeItEnds(Runnable action) {
            beforeItEnds = action;
        }

        @Idempotent(key = "#key")
        @Bulkhead("b")
        public Mono<String> pay(String key) {
            calls.incrementAndGet();
            return Mono.just("paid");
        }

        @Idempotent(key = "#key")
        @Bulkhead("b")
        public Mono<String> payLater(String key) {
            return Mono.create(sink -> new Thread(() -> {
                        beforeItEnds.run();
                        sink.success("paid");
                    })
                    .start());
        }

        @Bulkhead("b")
        public Flux<String> stream() {
            return Flux.just("paid");
        }
    }

    private static void fail() {
        throw new IllegalStateException("no accessor");
    }

    /** Does something whenever a thread gets a value and when it is put back. */
    private record Accessor(Runnable onSet, Runnable onRestore, ThreadLocal<@Nullable String> ofThread)
            implements ThreadLocalAccessor<String> {

        Accessor(Runnable onSet, Runnable onRestore) {
            this(onSet, onRestore, new ThreadLocal<>());
        }

        @Override
        public Object key() {
            return KEY;
        }

        @Override
        public @Nullable String getValue() {
            return ofThread.get();
        }

        @Override
        public void setValue(String value) {
            onSet.run();
        }

        @Override
        public void setValue() {
            onSet.run();
        }

        @Override
        public void restore() {
            onRestore.run();
        }

        @Override
        public void restore(String previous) {
            onRestore.run();
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Nothing {}

    @Configuration(proxyBeanMethods = false)
    static class Throwing {

        @Bean
        ContextCarrier throwing() {
            return task -> () -> {
                throw new IllegalStateException("no carrier");
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Lazy {

        @Bean
        ContextCarrier lazy() {
            return task -> () -> {};
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Twice {

        @Bean
        ContextCarrier twice() {
            return task -> () -> {
                task.run();
                task.run();
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class ThrowingBehind {

        @Bean
        ContextCarrier throwingBehind() {
            return task -> () -> {
                task.run();
                throw new IllegalStateException("too late");
            };
        }
    }
}
