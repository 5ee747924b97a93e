package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

class AsynchronousMethodsTests {

    @Nested
    class WithRetries {

        @Test
        void areTriedAgainWhenTheFutureFailsAndHoldNoThreadMeanwhile() {
            runner().run(context -> {
                context.getBean(Callee.class).failNext(2);
                ManualTimeSource time = context.getBean(ManualTimeSource.class);

                CompletableFuture<String> answer =
                        context.getBean(Gateway.class).send();

                assertThat(answer).isNotDone();
                time.advance(Duration.ofMillis(999));
                assertThat(context.getBean(Callee.class).calls()).isEqualTo(1);
                time.advance(Duration.ofMillis(1));
                assertThat(context.getBean(Callee.class).calls()).isEqualTo(2);
                time.advance(Duration.ofSeconds(2));
                assertThat(answer).isCompletedWithValue("answer 3");
            });
        }

        @Test
        void areTriedAgainWhenTheBodyThrows() {
            runner().run(context -> {
                context.getBean(Callee.class).failNext(1);

                CompletionStage<String> answer = context.getBean(Gateway.class).sendAsStage();

                context.getBean(ManualTimeSource.class).advance(Duration.ofSeconds(1));
                assertThat(answer).isCompletedWithValue("answer 2");
            });
        }

        @Test
        void failInTheEndWithTheMethodsOwnExceptionAndTheEarlierOnesSuppressed() {
            runner().run(context -> {
                context.getBean(Callee.class).failNext(3);

                CompletableFuture<String> answer =
                        context.getBean(Gateway.class).send();

                context.getBean(ManualTimeSource.class).advance(Duration.ofMinutes(1));
                assertThatCause(answer)
                        .isInstanceOf(ConnectException.class)
                        .hasMessage("call 3 refused")
                        .satisfies(failure -> assertThat(failure.getSuppressed())
                                .extracting(Throwable::getMessage)
                                .containsExactly("call 1 refused", "call 2 refused"));
            });
        }
    }

    @Nested
    class Cancelled {

        @Test
        void cancelTheRunningBody() {
            runner().run(context -> {
                Gateway gateway = context.getBean(Gateway.class);

                gateway.pending().cancel(true);

                assertThat(gateway.started().get(0)).isCancelled();
            });
        }

        @Test
        void makeNoFurtherAttempt() {
            runner().run(context -> {
                Callee callee = context.getBean(Callee.class).failNext(5);

                context.getBean(Gateway.class).send().cancel(true);

                context.getBean(ManualTimeSource.class).advance(Duration.ofMinutes(1));
                assertThat(callee.calls()).isEqualTo(1);
            });
        }

        @Test
        void giveTheirPlaceInTheBulkheadBack() {
            runner().run(context -> {
                context.getBean(Gateway.class).pending().cancel(true);
                assertThat(bulkhead(context).running()).isZero();
            });
        }
    }

    @Nested
    class InABulkhead {

        @Test
        void keepTheirPlaceUntilTheFutureIsCompleted() {
            runner().run(context -> {
                Gateway gateway = context.getBean(Gateway.class);

                CompletableFuture<String> answer = gateway.pending();
                assertThat(bulkhead(context).running()).isEqualTo(1);

                gateway.started().get(0).complete("done");
                assertThat(answer).isCompletedWithValue("done");
                assertThat(bulkhead(context).running()).isZero();
            });
        }

        @Test
        void startWhenAPlaceIsFree() {
            runner().run(context -> {
                Gateway gateway = context.getBean(Gateway.class);
                gateway.pending();
                CompletableFuture<String> second = gateway.pending();
                assertThat(gateway.started()).hasSize(1);

                gateway.started().get(0).complete("done");

                assertThat(gateway.started()).hasSize(2);
                gateway.started().get(1).complete("done too");
                assertThat(second).isCompletedWithValue("done too");
            });
        }
    }

    @Test
    void anIdempotentOneReplaysTheValueOfItsFuture() {
        runner().run(context -> {
            Gateway gateway = context.getBean(Gateway.class);
            assertThat(gateway.order("key")).isCompletedWithValue("answer 1");
            assertThat(gateway.order("key")).isCompletedWithValue("answer 1");
            assertThat(context.getBean(Callee.class).calls()).isEqualTo(1);
        });
    }

    private static ApplicationContextRunner runner() {
        return Applications.plain(Gateway.class).withPropertyValues("resilience.bulkhead.default.max-concurrent=1");
    }

    private static dev.resilience.bulkhead.Bulkhead bulkhead(ApplicationContext context) {
        return context.getBean(ResilienceRegistry.class).bulkheads().get("default");
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertThatCause(CompletionStage<?> answer) {
        CompletableFuture<?> future = answer.toCompletableFuture();
        assertThat(future).isCompletedExceptionally();
        return assertThat(future.handle((result, failure) -> failure).join());
    }

    static class Gateway {

        @Autowired
        Callee callee;

        private final List<CompletableFuture<String>> started = new ArrayList<>();

        List<CompletableFuture<String>> started() {
            return started;
        }

        @Retryable("three")
        public CompletableFuture<String> send() {
            return callee.callAsync();
        }

        @Retryable("three")
        public CompletionStage<String> sendAsStage() throws ConnectException {
            return CompletableFuture.completedStage(callee.call());
        }

        @Bulkhead("default")
        public CompletableFuture<String> pending() {
            CompletableFuture<String> answer = new CompletableFuture<>();
            started.add(answer);
            return answer;
        }

        @Idempotent(key = "#key")
        public CompletableFuture<String> order(String key) {
            return callee.callAsync();
        }
    }
}
