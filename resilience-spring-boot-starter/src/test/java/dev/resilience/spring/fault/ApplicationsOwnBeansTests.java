package dev.resilience.spring.fault;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.event.RetryFinished;
import dev.resilience.event.RetryScheduled;
import dev.resilience.fault.Fault;
import dev.resilience.fault.FaultClassifier;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** Beans that an application may define to have a say. */
class ApplicationsOwnBeansTests {

    @Nested
    class AFaultClassifier {

        @Test
        void isAskedBeforeTheLibrary() {
            Applications.plain(Shop.class)
                    .withBean(
                            FaultClassifier.class,
                            () -> failure -> failure instanceof ConnectException ? Fault.PERMANENT : Fault.UNKNOWN)
                    .run(context -> assertThat(
                                    context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell))
                            .isEqualTo(1));
        }

        @Test
        void mayKnowWhatTheLibraryDoesNot() {
            Applications.plain(Shop.class)
                    .withBean(
                            FaultClassifier.class,
                            () -> failure -> failure instanceof IllegalStateException ? Fault.TRANSIENT : Fault.UNKNOWN)
                    .run(context -> {
                        Shop shop = context.getBean(Shop.class);
                        assertThatThrownBy(shop::breakDown).isInstanceOf(IllegalStateException.class);
                        assertThat(shop.breakdowns()).isEqualTo(3);
                    });
        }

        @Test
        void leavesTheRestToTheLibrary() {
            Applications.plain(Shop.class)
                    .withBean(FaultClassifier.class, () -> failure -> Fault.UNKNOWN)
                    .run(context -> assertThat(
                                    context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell))
                            .isEqualTo(3));
        }

        @Test
        void thatThrowsIsPassedOver() {
            Applications.plain(Shop.class)
                    .withBean(FaultClassifier.class, () -> failure -> {
                        throw new IllegalStateException("broken");
                    })
                    .run(context -> assertThat(
                                    context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell))
                            .isEqualTo(3));
        }

        @Test
        void mayDependOnAProtectedBean() {
            Applications.plain(Shop.class, DependentClassifier.class).run(context -> {
                assertThat(context).hasNotFailed();
                assertThat(context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell))
                        .isEqualTo(3);
            });
        }
    }

    @Nested
    class AListener {

        @Test
        void hearsWhatHappens() {
            Applications.plain(Shop.class, Diary.class)
                    .withPropertyValues("resilience.circuit-breaker.default.failure-threshold=1")
                    .run(context -> {
                        context.getBean(Callee.class).attemptsOf(context.getBean(Shop.class)::sell);

                        assertThat(context.getBean(Diary.class).events)
                                .extracting(ResilienceEvent::getClass)
                                .containsExactly(
                                        RetryScheduled.class,
                                        RetryScheduled.class,
                                        RetryFinished.class,
                                        CircuitStateChanged.class);
                    });
        }

        @Test
        void mayDependOnAProtectedBean() {
            Applications.plain(Shop.class, Diary.class).run(context -> {
                assertThat(context).hasNotFailed();
                Callee callee = context.getBean(Callee.class);
                assertThat(callee.attemptsOf(context.getBean(Diary.class).shop::sell))
                        .isEqualTo(3);
            });
        }

        @Test
        void thatThrowsHurtsNobody() {
            Applications.plain(Shop.class, Diary.class)
                    .withBean("broken", ResilienceListener.class, () -> event -> {
                        throw new IllegalStateException("broken");
                    })
                    .run(context -> {
                        context.getBean(Callee.class).failNext(1);
                        assertThat(context.getBean(Shop.class).sell()).isEqualTo("answer 2");
                        assertThat(context.getBean(Diary.class).events).hasSize(2);
                    });
        }
    }

    static class Shop {

        @Autowired
        Callee callee;

        private int breakdowns;

        int breakdowns() {
            return breakdowns;
        }

        @CircuitBreaker("default")
        @Retryable("default")
        public String sell() throws ConnectException {
            return callee.call();
        }

        @Retryable("default")
        public void breakDown() {
            breakdowns++;
            throw new IllegalStateException("broken down");
        }
    }

    static class DependentClassifier implements FaultClassifier {

        private final Shop shop;

        DependentClassifier(Shop shop) {
            this.shop = shop;
        }

        @Override
        public Fault classify(Throwable failure) {
            return shop.breakdowns() > 0 ? Fault.PERMANENT : Fault.UNKNOWN;
        }
    }

    static class Diary implements ResilienceListener {

        final Shop shop;
        final List<ResilienceEvent> events = new ArrayList<>();

        Diary(Shop shop) {
            this.shop = shop;
        }

        @Override
        public void onEvent(ResilienceEvent event) {
            events.add(event);
        }
    }
}
