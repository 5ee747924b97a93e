package dev.resilience.spring.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Fallback;
import dev.resilience.spring.Applications;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ChoiceOfFallbacksTests {

    @Nested
    class WithSeveralOverloads {

        @Test
        void theClosestExceptionTypeAnswers() {
            Applications.with(Selective.class, (bean, callee) -> {
                assertThat(bean.fail(new SocketTimeoutException())).isEqualTo("timeout");
                assertThat(bean.fail(new ConnectException())).isEqualTo("input or output");
                assertThat(bean.fail(new IllegalStateException())).isEqualTo("anything");
            });
        }

        @Test
        void theOneWithoutAFailureAnswersWhatNoOtherDoes() {
            Applications.with(
                    Selective.class,
                    (bean, callee) ->
                            assertThat(bean.fail(new StackOverflowError())).isEqualTo("plain"));
        }
    }

    @Nested
    class WithOnAndExcept {

        @Test
        void onlyTheListedFailuresAreAnswered() {
            Applications.with(Selective.class, (bean, callee) -> {
                assertThat(bean.failOnlyOn(new SocketTimeoutException())).isEqualTo("answered");
                assertThatThrownBy(() -> bean.failOnlyOn(new IllegalStateException("through")))
                        .isInstanceOf(IllegalStateException.class)
                        .hasMessage("through");
            });
        }

        @Test
        void anExceptionToTheRuleComesThrough() {
            Applications.with(
                    Selective.class,
                    (bean, callee) -> assertThatThrownBy(() -> bean.failOnlyOn(new FileNotFoundException("through")))
                            .isInstanceOf(FileNotFoundException.class)
                            .hasMessage("through"));
        }
    }

    static class Selective {

        @Fallback("answer")
        public String fail(Throwable with) throws Throwable {
            throw with;
        }

        String answer(Throwable with) {
            return "plain";
        }

        String answer(Throwable with, Exception failure) {
            return "anything";
        }

        String answer(Throwable with, IOException failure) {
            return "input or output";
        }

        String answer(Throwable with, SocketTimeoutException failure) {
            return "timeout";
        }

        @Fallback(value = "listed", on = IOException.class, except = FileNotFoundException.class)
        public String failOnlyOn(Throwable with) throws Throwable {
            throw with;
        }

        String listed(Throwable with) {
            return "answered";
        }
    }
}
