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
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.web.context.WebApplicationContext;

/** What the library is for: one annotated method, protected by every kind of policy, seen by metrics and actuator. */
@SpringBootTest(
        properties = {
            "resilience.retry.payments.max-attempts=3",
            "resilience.circuit-breaker.payments.failure-threshold=2",
            "resilience.bulkhead.payments.max-concurrent=2",
            "resilience.idempotency.payments.ttl=1h",
            "resilience.idempotency-store.type=memory",
            "management.endpoints.web.exposure.include=*"
        })
class MainJobTests {

    @Autowired
    Payments payments;

    @Autowired
    Callee gateway;

    @Autowired
    MeterRegistry meters;

    @Autowired
    ManualTimeSource time;

    @Autowired
    WebApplicationContext context;

    @BeforeEach
    void theGatewayIsUp() {
        gateway.failNext(0);
        time.advance(Duration.ofMinutes(10));
    }

    @Test
    void aFailedCallIsRetriedAndItsResultReplayed() throws Exception {
        int before = gateway.calls();
        gateway.failNext(2);

        Receipt receipt = payments.pay("order-1", 100);

        assertThat(gateway.calls()).isEqualTo(before + 3);
        assertThat(payments.pay("order-1", 100)).isEqualTo(receipt);
        assertThat(gateway.calls()).isEqualTo(before + 3);
        assertThat(calls("resilience.retry.calls", "success_after_retry")).isEqualTo(1);
        assertThat(calls("resilience.idempotency.calls", "replayed")).isEqualTo(1);
    }

    @Test
    void aGatewayThatStaysDownOpensTheCircuitAndOneThatIsBackClosesIt() throws Exception {
        gateway.failNext(Integer.MAX_VALUE);
        assertThatThrownBy(() -> payments.pay("order-2", 100)).isInstanceOf(ConnectException.class);
        assertThatThrownBy(() -> payments.pay("order-3", 100)).isInstanceOf(ConnectException.class);
        assertThatThrownBy(() -> payments.pay("order-4", 100)).isInstanceOf(CircuitOpenException.class);
        assertThat(breaker()).bodyJson().extractingPath("$.state.state").isEqualTo("OPEN");

        gateway.failNext(0);
        time.advance(Duration.ofSeconds(30));
        payments.pay("order-2", 100);
        payments.pay("order-3", 100);

        assertThat(breaker()).bodyJson().extractingPath("$.state.state").isEqualTo("CLOSED");
        assertThat(calls("resilience.circuitbreaker.calls", "rejected")).isEqualTo(1);
    }

    private MvcTestResult breaker() {
        return MockMvcTester.from(context)
                .get()
                .uri("/actuator/resilience/circuit-breaker/payments")
                .exchange();
    }

    private double calls(String meter, String outcome) {
        return meters.get(meter)
                .tags("name", "payments", "outcome", outcome)
                .functionCounter()
                .count();
    }

    record Receipt(String order, int amount, String answer) {}

    static class Payments {

        @Autowired
        Callee gateway;

        @Idempotent(value = "payments", key = "#order")
        @Bulkhead("payments")
        @CircuitBreaker("payments")
        @Retryable("payments")
        public Receipt pay(String order, int amount) throws ConnectException {
            return new Receipt(order, amount, gateway.call());
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Payments.class, Callee.class, ManualTimeSource.class})
    static class Application {}
}
