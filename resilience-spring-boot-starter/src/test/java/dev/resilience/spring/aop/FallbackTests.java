package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

class FallbackTests {

    @Test
    void answersWhenAllRetriesAreUsedUp() {
        Applications.with(Shop.class, (shop, callee) -> {
            callee.failNext(2);
            assertThat(shop.sell("tea")).isEqualTo("no tea: call 2 refused");
            assertThat(callee.calls()).isEqualTo(2);
        });
    }

    /** As the compiler lets it pass. */
    @Test
    void mayReturnARawType() {
        Applications.with(RawFallbacks.class, (shop, callee) -> {
            callee.failNext(2);
            assertThat(shop.all()).containsExactly("tea");
            assertThat(shop.allByKind()).isEmpty();
        });
    }

    static class RawFallbacks {

        @Autowired
        Callee callee;

        @Fallback("some")
        public List<String> all() throws ConnectException {
            return List.of(callee.call());
        }

        @SuppressWarnings("rawtypes")
        List some() {
            return List.of("tea");
        }

        @Fallback("none")
        public Map<String, List<String>> allByKind() throws ConnectException {
            return Map.of("tea", List.of(callee.call()));
        }

        <K, V> Map<K, V> none() {
            return Map.of();
        }
    }

    @Test
    void isNotAskedWhenTheCallSucceeds() {
        Applications.with(Shop.class, (shop, callee) -> {
            callee.failNext(1);
            assertThat(shop.sell("tea")).isEqualTo("answer 2");
        });
    }

    @Test
    void answersForACircuitBreakersRefusal() {
        Applications.plain(Shop.class)
                .withPropertyValues("resilience.circuit-breaker.default.initial-state=forced-open")
                .run(context -> assertThat(context.getBean(Shop.class).open())
                        .isEqualTo("come tomorrow: CircuitOpenException"));
    }

    @Test
    void mayBePrivateAndWithoutTheFailure() {
        Applications.with(Shop.class, (shop, callee) -> {
            callee.failNext(1);
            assertThat(shop.look()).isEqualTo("nothing to see");
        });
    }

    @Test
    void runsOnTheBeanItselfWithItsState() {
        Applications.with(Shop.class, (shop, callee) -> {
            callee.failNext(1);
            assertThat(shop.count(41)).isEqualTo(42);
        });
    }

    @Test
    void itsOwnFailureComesThroughAsItIs() {
        Applications.with(Shop.class, (shop, callee) -> {
            callee.failNext(1);
            assertThatThrownBy(shop::doomed)
                    .isExactlyInstanceOf(FileNotFoundException.class)
                    .hasMessage("no fallback either");
        });
    }

    @Test
    void mayGiveTheFailureBack() {
        Applications.with(Shop.class, (shop, callee) -> {
            callee.failNext(1);
            assertThatThrownBy(shop::passedOn)
                    .isInstanceOf(ConnectException.class)
                    .hasMessage("call 1 refused");
        });
    }

    @Test
    void ofATypeAnswersForEveryPublicMethodButItself() {
        Applications.with(Forgiving.class, (bean, callee) -> {
            callee.failNext(1);
            assertThat(bean.sell()).isEqualTo("sorry");
            assertThat(bean.sorry()).isEqualTo("sorry");
        });
    }

    @Test
    void mayBeAnOverloadOfTheMethodItself() {
        Applications.with(Shop.class, (shop, callee) -> {
            callee.failNext(1);
            assertThat(shop.rent(7)).isEqualTo("not for rent: 7");
        });
    }

    @Test
    void itsAnswerIsNeverKeptAsAnIdempotentResult() {
        Applications.with(Shop.class, (shop, callee) -> {
            callee.failNext(1);
            assertThat(shop.order("key")).isEqualTo("order later");
            assertThat(shop.order("key")).isEqualTo("answer 2");
            assertThat(shop.order("key")).isEqualTo("answer 2");
            assertThat(callee.calls()).isEqualTo(2);
        });
    }

    static class Shop {

        @Autowired
        Callee callee;

        private final int one = 1;

        @Fallback("without")
        @Retryable("two")
        public String sell(String what) throws ConnectException {
            return callee.call();
        }

        String without(String what, IOException failure) {
            return "no " + what + ": " + failure.getMessage();
        }

        @Fallback("tomorrow")
        @CircuitBreaker("default")
        public String open() {
            return "come in";
        }

        String tomorrow(Exception failure) {
            return "come tomorrow: " + failure.getClass().getSimpleName();
        }

        @Fallback("darkness")
        public String look() throws ConnectException {
            return callee.call();
        }

        @SuppressWarnings("UnusedMethod") // by name
        private String darkness() {
            return "nothing to see";
        }

        @Fallback("estimate")
        public int count(int start) throws ConnectException {
            return callee.call().length();
        }

        int estimate(int start) {
            return start + one;
        }

        @Fallback("worse")
        public String doomed() throws IOException {
            return callee.call();
        }

        String worse() throws IOException {
            throw new FileNotFoundException("no fallback either");
        }

        @Fallback("back")
        public String passedOn() throws IOException {
            return callee.call();
        }

        String back(IOException failure) throws IOException {
            throw failure;
        }

        @Fallback("rent")
        public String rent(int days) throws ConnectException {
            return callee.call();
        }

        public String rent(int days, Throwable failure) {
            return "not for rent: " + days;
        }

        @Fallback("later")
        @Idempotent(key = "#key")
        public String order(String key) throws ConnectException {
            return callee.call();
        }

        String later(String key) {
            return "order later";
        }
    }

    @Fallback("sorry")
    static class Forgiving {

        @Autowired
        Callee callee;

        public String sell() throws ConnectException {
            return callee.call();
        }

        public String sorry() {
            return "sorry";
        }
    }
}
