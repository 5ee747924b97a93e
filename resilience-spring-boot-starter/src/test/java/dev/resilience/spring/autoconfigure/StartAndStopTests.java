package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.exception.BulkheadFullException;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.registry.ResilienceLifecycle;
import java.net.ConnectException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.event.ContextClosedEvent;

/** From the start to the end of an application. */
@ExtendWith(OutputCaptureExtension.class)
class StartAndStopTests extends FailingStartup {

    @Nested
    class WithLazyInitialization {

        private static final String LAZY = "spring.main.lazy-initialization: true\n";

        @Test
        void namesInAnnotationsAreCheckedAtStartup() {
            fail(LAZY, Misspelt.class).blames(Misspelt.class, "pay()").says("the retry policy 'paymets'");
        }

        @Test
        void keysAreCheckedAtStartupEvenIfNothingIsAnnotated() {
            fail(LAZY + "resilience.retry.payments.max-atempts: 5")
                    .blames("resilience.retry.payments.max-atempts", "5", 2);
        }

        @Test
        void valuesAreCheckedAtStartupEvenIfNothingIsAnnotated() {
            fail(LAZY + "resilience.bulkhead.payments.max-concurrent: 0")
                    .blames("resilience.bulkhead.payments.max-concurrent", "0", 2);
        }

        @Test
        void theOrderIsCheckedAtStartupEvenIfNothingIsAnnotated() {
            fail(LAZY + "resilience.order: retry").blames("resilience.order", "retry", 2);
        }

        @Test
        void methodsAreProtectedAndListed() throws ConnectException {
            try (ConfigurableApplicationContext context =
                    start(LAZY + "resilience.retry.default.backoff.base-delay: 1ms", Payments.class)) {
                assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "default"))
                        .containsExactly("Payments.pay(String)", "Payments.payLater(String)");
                assertThat(context.getBeanFactory().containsSingleton("startAndStopTests.Payments"))
                        .isFalse();
                assertThat(context.getBean(Payments.class).pay("k")).isEqualTo("paid 2");
            }
        }
    }

    @Test
    void theOrderIsCheckedAtStartupEvenIfNothingIsAnnotated() {
        fail("resilience.order: retry").blames("resilience.order", "retry", 1);
    }

    @Test
    void theContextClosesWithoutAWord(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context =
                start("resilience.retry.default.backoff.base-delay: 1ms", Payments.class);
        Payments payments = context.getBean(Payments.class);
        payments.pay("k");
        assertThat(payments.payLater("k").join()).isEqualTo("paid 4");
        CompletableFuture<String> waiting = payments.payLater("never answered");
        int before = output.getAll().length();

        context.close();

        assertThat(context.isActive()).isFalse();
        assertThat(output.getAll().substring(before).lines())
                .filteredOn(line -> !line.contains("in the last second")) // the retries of before
                .noneMatch(line -> line.contains("WARN") || line.contains("ERROR") || line.contains("Exception"));
        assertThat(waiting).isNotNull();
        assertThat(Thread.getAllStackTraces().keySet())
                .filteredOn(thread -> thread.getName().contains("resilience"))
                .isNotEmpty()
                .allMatch(Thread::isDaemon);
    }

    /** One in line is sent away at once. */
    @Test
    void theContextWaitsForWhatRunsInItsPools(CapturedOutput output) throws Exception {
        ConfigurableApplicationContext context = start("""
            resilience.bulkhead.default:
              type: thread-pool
              max-concurrent: 1
            """, Exports.class);
        Exports exports = context.getBean(Exports.class);
        CompletableFuture<String> running = exports.write("first");
        CompletableFuture<String> inLine = exports.write("second");
        ResilienceLifecycle shutdown = context.getBean("resilienceDrain", ResilienceLifecycle.class);
        CompletableFuture<Void> stopped = CompletableFuture.runAsync(context::close);
        await().until(() -> !shutdown.isRunning());
        assertThat(stopped).isNotDone();
        assertThat(inLine)
                .failsWithin(Duration.ofSeconds(30))
                .withThrowableThat()
                .withCauseInstanceOf(BulkheadFullException.class);
        assertThat(exports.interrupted()).isFalse();

        exports.end();

        assertThat(stopped).succeedsWithin(Duration.ofSeconds(30));
        assertThat(running).isCompletedWithValue("first");
        assertThat(exports.interrupted()).isFalse();
        assertThat(output).doesNotContain("phase");
    }

    @Test
    void whatDoesNotEndInTimeIsInterruptedBeforeTheBeansAreDestroyed() throws Exception {
        ConfigurableApplicationContext context = start("""
            spring.lifecycle.timeout-per-shutdown-phase: 1ms
            resilience.bulkhead.default:
              type: thread-pool
              max-concurrent: 1
            """, Exports.class);
        Exports exports = context.getBean(Exports.class);
        CompletableFuture<String> running = exports.write("first");
        await().until(() -> exports.begun());

        context.close();

        assertThat(running).failsWithin(Duration.ofSeconds(30));
        assertThat(exports.interruptedBeforeItsEnd()).isTrue();
    }

    /** A listener of the application may take its time: no wait outlasts that. */
    @Test
    void waitsHaveEndedWhenTheApplicationsListenersHearOfTheEnd() {
        ConfigurableApplicationContext context =
                start("resilience.retry.default.backoff.base-delay: 0", Draining.class, Failing.class);
        Draining draining = context.getBean(Draining.class);

        context.close();

        assertThat(draining.attempts).isEqualTo(1);
    }

    @Test
    void anApplicationCanBeStartedAgain() throws Exception {
        for (int i = 0; i < 2; i++) {
            try (ConfigurableApplicationContext context =
                    start("resilience.retry.default.backoff.base-delay: 1ms", Payments.class)) {
                assertThat(context.getBean(Payments.class).pay("k")).isEqualTo("paid 2");
            }
        }
    }

    static class Exports implements DisposableBean {

        private final CountDownLatch end = new CountDownLatch(1);
        private final CountDownLatch stopped = new CountDownLatch(1);
        private volatile boolean interruptedBeforeItsEnd;
        private volatile boolean begun;
        private volatile boolean interrupted;

        void end() {
            end.countDown();
        }

        /** Nothing is interrupted while beans are destroyed; what was interrupted before may be on its way. */
        @Override
        public void destroy() throws InterruptedException {
            interruptedBeforeItsEnd = end.getCount() > 0 && stopped.await(10, TimeUnit.SECONDS);
        }

        boolean interruptedBeforeItsEnd() {
            return interruptedBeforeItsEnd;
        }

        boolean begun() {
            return begun;
        }

        boolean interrupted() {
            return interrupted;
        }

        @Bulkhead("default")
        CompletableFuture<String> write(String name) {
            begun = true;
            try {
                end.await();
                return CompletableFuture.completedFuture(name);
            } catch (InterruptedException stopping) {
                interrupted = true;
                stopped.countDown();
                return CompletableFuture.failedFuture(stopping);
            }
        }
    }

    static class Failing {

        private int attempts;

        @Retryable("default")
        void call() throws ConnectException {
            attempts++;
            throw new ConnectException("refused");
        }

        int attempts() {
            return attempts;
        }
    }

    /** Asks when it hears of the end whether calls are still repeated. */
    static class Draining implements ApplicationListener<ContextClosedEvent> {

        private final Failing failing;
        private int attempts;

        Draining(Failing failing) {
            this.failing = failing;
        }

        @Override
        public void onApplicationEvent(ContextClosedEvent closing) {
            assertThatThrownBy(failing::call).isInstanceOf(ConnectException.class);
            attempts = failing.attempts();
        }
    }

    static class Misspelt {

        @Retryable("paymets")
        void pay() {}
    }

    static class Payments {

        private int calls;

        @Idempotent(key = "#key")
        @Retryable("default")
        @CircuitBreaker("default")
        @Bulkhead("default")
        String pay(String key) throws ConnectException {
            if (++calls == 1) {
                throw new ConnectException("refused");
            }
            return "paid " + calls;
        }

        @Idempotent(key = "#key")
        @Retryable("default")
        @CircuitBreaker("default")
        @Bulkhead("default")
        CompletableFuture<String> payLater(String key) {
            if (key.startsWith("never")) {
                return new CompletableFuture<>();
            }
            return ++calls == 3
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : CompletableFuture.completedFuture("paid " + calls);
        }
    }
}
