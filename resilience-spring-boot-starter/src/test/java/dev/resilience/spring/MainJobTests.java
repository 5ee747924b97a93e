package dev.resilience.spring;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.ConnectException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.test.annotation.DirtiesContext;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

@SpringBootTest(
        properties = {
            "resilience.retry.payments.max-attempts=3",
            "resilience.circuit-breaker.payments.failure-threshold=2",
            "resilience.bulkhead.payments.max-concurrent=2",
            "resilience.idempotency.payments.ttl=1h",
            "management.endpoints.web.exposure.include=*"
        })
@DirtiesContext
@ExtendWith(OutputCaptureExtension.class)
class MainJobTests {

    @Autowired
    Payments payments;

    @Autowired
    MeterRegistry meters;

    @Autowired
    ManualTimeSource time;

    @Autowired
    WebApplicationContext context;

    @Test
    void oneAnnotatedMethodIsProtectedByAllFourKinds(CapturedOutput output) throws Exception {
        payments.failures().set(2);
        assertThat(payments.pay("order-1", 100)).isEqualTo(new Receipt("order-1", 100, 3));
        assertThat(payments.pay("order-1", 100)).isEqualTo(new Receipt("order-1", 100, 3));
        assertThat(payments.calls()).hasValue(3);
        assertThat(meters.get("resilience.retry.calls")
                        .tags("name", "payments", "outcome", "success_after_retry")
                        .functionCounter()
                        .count())
                .isEqualTo(1);

        payments.failures().set(100);
        assertThatThrownBy(() -> payments.pay("order-2", 100)).isInstanceOf(ConnectException.class);
        assertThatThrownBy(() -> payments.pay("order-3", 100)).isInstanceOf(ConnectException.class);
        assertThatThrownBy(() -> payments.pay("order-4", 100)).isInstanceOf(CircuitOpenException.class);

        MockMvcTester mvc = MockMvcTester.from(context);
        assertThat(mvc.get().uri("/actuator/resilience/circuit-breaker/payments"))
                .hasStatus(HttpStatus.OK)
                .bodyJson()
                .extractingPath("$.state.state")
                .isEqualTo("OPEN");
        System.out.println(
                mvc.get().uri("/actuator/resilience").exchange().getResponse().getContentAsByteArray().length);
        assertThat(output).doesNotContain("not eligible for getting processed by all BeanPostProcessors");
        assertThat(meters.getMeters().size()).isGreaterThan(100);
    }

    record Receipt(String order, int amount, int attempts) {}

    static class Payments {

        private final AtomicInteger failures = new AtomicInteger();
        private final AtomicInteger calls = new AtomicInteger();

        AtomicInteger failures() {
            return failures;
        }

        AtomicInteger calls() {
            return calls;
        }

        @Idempotent(value = "payments", key = "#order")
        @Bulkhead("payments")
        @CircuitBreaker("payments")
        @Retryable("payments")
        Receipt pay(String order, int amount) throws ConnectException {
            int call = calls.incrementAndGet();
            if (failures.getAndDecrement() > 0) {
                throw new ConnectException("refused");
            }
            return new Receipt(order, amount, call);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import(Payments.class)
    static class Application {

        @Bean
        ManualTimeSource timeSource() {
            return new ManualTimeSource();
        }
    }
}
