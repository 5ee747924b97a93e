package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.web.error.ErrorPage;
import org.springframework.boot.web.error.ErrorPageRegistrar;
import org.springframework.context.annotation.Bean;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
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

    @Test
    void itIsThereInAnAsynchronousDispatch() {
        assertThat(get("/dispatched", "X-Time-Left", "1500")).hasToString("200 PT1.5S");
        assertThat(get("/dispatched", "X-Time-Left", "0").status()).isEqualTo(504);
        assertThat(get("/fails-later", "X-Time-Left", "1500")).hasToString("200 handled, PT1.5S");
    }

    @Test
    void itIsThereInAnErrorPage() {
        assertThat(get("/fails", "X-Time-Left", "1500")).hasToString("500 error page, PT1.5S");
    }

    @Test
    void itIsReadOnceInAllDispatches() {
        double accepted = counted("accepted");

        get("/dispatched", "X-Time-Left", "1500");
        get("/fails", "X-Time-Left", "1500");

        assertThat(counted("accepted") - accepted).isEqualTo(2);
    }

    @RestController
    static class Callables {

        private final Shop shop;

        Callables(Shop shop) {
            this.shop = shop;
        }

        @GetMapping("/dispatched")
        void dispatched(HttpServletRequest request) {
            request.startAsync().dispatch("/left");
        }

        @GetMapping("/fails")
        void fails(HttpServletResponse response) throws IOException {
            response.sendError(500);
        }

        @GetMapping("/fails-later")
        CompletableFuture<String> failsLater() {
            return CompletableFuture.failedFuture(new TimeoutException("later"));
        }

        @ExceptionHandler
        String handle(TimeoutException failure) {
            return "handled, " + shop.left();
        }

        @RequestMapping("/error-page")
        String errorPage() {
            return "error page, " + shop.left();
        }

        @Bean
        static ErrorPageRegistrar errorPages() {
            return registry -> registry.addErrorPages(new ErrorPage("/error-page"));
        }

        @GetMapping("/left-elsewhere")
        Callable<String> left() {
            Thread thread = Thread.currentThread();
            return () -> shop.left() + (thread == Thread.currentThread() ? " here" : " on another thread");
        }
    }
}
