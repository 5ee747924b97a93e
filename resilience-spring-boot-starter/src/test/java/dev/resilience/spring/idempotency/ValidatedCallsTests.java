package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.annotation.Idempotent;
import jakarta.validation.ConstraintViolationException;
import jakarta.validation.Valid;
import jakarta.validation.constraints.NotEmpty;
import jakarta.validation.constraints.Positive;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.validation.annotation.Validated;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What is not valid uses up no key. */
class ValidatedCallsTests {

    private final WebApplicationContextRunner runner = IdempotentApplication.web()
            .withPropertyValues("resilience.idempotency.default.scope=none")
            .withBean(AskedStore.class)
            .withBean(Service.class)
            .withUserConfiguration(Shop.class);

    private static MvcTestResult post(MockMvcTester mvc, String path, int number) {
        return mvc.post()
                .uri(path + "?number=" + number)
                .contentType(MediaType.APPLICATION_JSON)
                .content("{\"number\":" + number + "}")
                .header("Idempotency-Key", "k")
                .exchange();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/body", "/parameter"})
    void aRequest(String path) {
        runner.run(context -> {
            MockMvcTester mvc = MockMvcTester.from(context);
            AskedStore store = context.getBean(AskedStore.class);

            assertThat(post(mvc, path, 0)).hasStatus(400);
            assertThat(store.claims()).isZero();

            assertThat(post(mvc, path, 7)).hasStatusOk().hasBodyTextEqualTo("7");
            assertThat(post(mvc, path, 0)).hasStatus(400);
            assertThat(store.claims()).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void argumentsOfAMethodOfAValidatedClass(boolean adapted) {
        runner.withPropertyValues("spring.validation.method.adapt-constraint-violations=" + adapted)
                .run(context -> {
                    Service service = context.getBean(Service.class);

                    for (int i = 1; i <= 2; i++) { // the first call has given its key back
                        assertThatExceptionOfType(RuntimeException.class)
                                .isThrownBy(() -> service.pay(0))
                                .withMessageContaining(adapted ? "1 validation error" : "must be greater than 0");
                    }
                    assertThat(service.pay(7)).isEqualTo("paid 7");
                });
    }

    /** Where it always was: further in than a transaction, which it rolls back. */
    @Test
    void aResultIsJudgedBeforeItIsStored() {
        runner.run(context -> {
            Service service = context.getBean(Service.class);

            for (int i = 1; i <= 2; i++) {
                assertThatExceptionOfType(ConstraintViolationException.class)
                        .isThrownBy(() -> service.look("k"))
                        .withMessageContaining("must not be empty");
                assertThat(service.looks()).hasValue(i);
            }
        });
    }

    record Order(@Positive int number) {}

    @RestController
    static class Shop {

        @PostMapping("/body")
        @Idempotent(header = "Idempotency-Key")
        int body(@Valid @RequestBody Order order) {
            return order.number();
        }

        @PostMapping("/parameter")
        @Idempotent(header = "Idempotency-Key")
        int parameter(@RequestParam @Positive int number) {
            return number;
        }
    }

    @Validated
    static class Service {

        private final AtomicInteger looks = new AtomicInteger();

        AtomicInteger looks() {
            return looks;
        }

        @Idempotent(key = "#number")
        String pay(@Positive int number) {
            return "paid " + number;
        }

        @Idempotent(key = "#key")
        @NotEmpty
        String look(String key) {
            looks.incrementAndGet();
            return "";
        }
    }
}
