package dev.resilience.spring.deadletter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.context.Deadline;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.retry.Retry;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.slf4j.MDC;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.security.authentication.TestingAuthenticationToken;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;

/** What surrounds a replay: nothing of the operator who asks for it. */
class ReplayContextTests {

    static class Carrier {

        @CircuitBreaker("carrier")
        public void carry() {}
    }

    static class Shop {

        private final List<@Nullable Object> surroundings = new ArrayList<>();

        @Autowired
        Callee callee;

        @Autowired
        Carrier carrier;

        @Retryable("kept")
        public void order(String id) throws ConnectException {
            surroundings.clear();
            surroundings.add(SecurityContextHolder.getContext().getAuthentication());
            surroundings.add(RequestContextHolder.getRequestAttributes());
            surroundings.add(MDC.get("request"));
            surroundings.add(Deadline.current());
            surroundings.add(TransactionSynchronizationManager.isSynchronizationActive() ? "transaction" : null);
            surroundings.add(
                    Thread.currentThread().getContextClassLoader() == getClass().getClassLoader() ? null : "loader");
            callee.call();
        }

        @Retryable("kept")
        public void orderAndCarry(String id) throws ConnectException {
            callee.call();
            carrier.carry();
        }

        public List<@Nullable Object> surroundings() {
            return surroundings;
        }
    }

    private static ApplicationContextRunner application() {
        return Applications.plain(Shop.class, Carrier.class)
                .withPropertyValues(
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.circuit-breaker.carrier.initial-state=forced-open",
                        "resilience.dead-letter-store.type=memory");
    }

    private static Replayed replay(ApplicationContext context) {
        DeadLetters letters = Objects.requireNonNull(DeadLetters.of(
                context.getBean(LiveRegistry.class).<Retry>ofKind("retry").get("kept")));
        String id = letters.list(1).get(0).letter().id();
        return Objects.requireNonNull(letters.replay(id, context.getBean(DeadLetterMethods.class)));
    }

    private static void lose(ApplicationContext context, Call call) {
        context.getBean(Callee.class).failNext(3);
        assertThatThrownBy(() -> call.of(context.getBean(Shop.class))).isInstanceOf(ConnectException.class);
    }

    /** A call of the shop. */
    @FunctionalInterface
    interface Call {

        void of(Shop shop) throws ConnectException;
    }

    @Test
    void aReplayHasNothingOfTheThreadThatAsksForIt() {
        application().run(context -> {
            lose(context, shop -> shop.order("A"));
            SecurityContextHolder.getContext()
                    .setAuthentication(new TestingAuthenticationToken("operator", "", "ADMIN"));
            RequestContextHolder.setRequestAttributes(new ServletRequestAttributes(new MockHttpServletRequest()));
            MDC.put("request", "of the operator");
            TransactionSynchronizationManager.initSynchronization();
            try {
                Replayed replayed = Deadline.in(Duration.ofMinutes(1)).call(() -> replay(context));

                assertThat(replayed.result()).isEqualTo(Replayed.Result.SUCCEEDED);
            } finally {
                TransactionSynchronizationManager.clearSynchronization();
                MDC.remove("request");
                RequestContextHolder.resetRequestAttributes();
                SecurityContextHolder.clearContext();
            }
            assertThat(context.getBean(Shop.class).surroundings()).hasSize(6).containsOnlyNulls();
        });
    }

    @Test
    void aRefusalByABreakerInsideOfTheMethodIsAFailureBecauseTheMethodWasCalled() {
        application().run(context -> {
            lose(context, shop -> shop.orderAndCarry("A"));

            Replayed replayed = replay(context);

            assertThat(replayed.failure()).isInstanceOf(CircuitOpenException.class);
            assertThat(replayed.result()).isEqualTo(Replayed.Result.FAILED);
            assertThat(context.getBean(Callee.class).calls()).isEqualTo(4);
        });
    }
}
