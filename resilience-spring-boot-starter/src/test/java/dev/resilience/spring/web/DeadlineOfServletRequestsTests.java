package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** With Spring MVC, on Tomcat. */
class DeadlineOfServletRequestsTests extends DeadlineOfRequestsContract {

    DeadlineOfServletRequestsTests() {
        super(WebApplicationType.SERVLET, Callables.class);
    }

    @Test
    void itGoesWithACallableToItsThread() {
        assertThat(get("/left-elsewhere", "X-Time-Left", "1500")).hasToString("200 PT1.5S on another thread");
        assertThat(get("/left-elsewhere")).hasToString("200 none on another thread");
    }

    @RestController
    static class Callables {

        private final Shop shop;

        Callables(Shop shop) {
            this.shop = shop;
        }

        @GetMapping("/left-elsewhere")
        Callable<String> left() {
            Thread thread = Thread.currentThread();
            return () -> shop.left() + (thread == Thread.currentThread() ? " here" : " on another thread");
        }
    }
}
