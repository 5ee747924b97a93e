package dev.resilience.spring.actuate;

import dev.resilience.spring.Callee;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.actuate.ActuatorTest.OrderService;
import dev.resilience.time.ManualTimeSource;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** The parts of the shared application that its tests move, put back before each of them. */
abstract class ManualTimeActuatorTest {

    @Autowired
    MockMvcTester mvc;

    @Autowired
    OrderService orders;

    @Autowired
    Callee callee;

    @Autowired
    ResilienceRegistry registry;

    @Autowired
    ManualTimeSource time;

    @BeforeEach
    void lastTestIsLongAgo() {
        callee.failNext(0);
        registry.circuitBreakers().get("orders").reset();
        time.advance(Duration.ofHours(1));
    }
}
