package dev.resilience.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.Callee;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.ManualTimeSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webmvc.test.autoconfigure.WebMvcTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.assertj.MockMvcTester;

/** The application keeps its records in a database, which the slice does not have. */
@WebMvcTest(
        controllers = ServletShop.class,
        properties = {
            "resilience.retry.slice.max-attempts=3",
            "resilience.retry.of-a-service.max-attempts=3",
            "resilience.idempotency-store.type=jdbc"
        })
@Import({Callee.class, ManualTimeSource.class})
class WebMvcSliceTests {

    @Autowired
    MockMvcTester mvc;

    @Autowired
    Callee callee;

    @Autowired
    StartupWarnings warnings;

    @Test
    void controllersAreProtected() {
        int before = callee.calls();
        callee.failNext(2);

        assertThat(mvc.get().uri("/sell")).hasStatusOk();

        assertThat(callee.calls() - before).isEqualTo(3);
    }

    @Test
    void refusalsAreAnsweredWithProblemDetails() {
        assertThat(mvc.get().uri("/refuse"))
                .hasStatus(HttpStatus.SERVICE_UNAVAILABLE)
                .hasContentType(MediaType.APPLICATION_PROBLEM_JSON)
                .hasHeader("Retry-After", "7");
    }

    @Test
    void idempotentCallsAreRememberedInMemory() {
        int before = callee.calls();

        assertThat(mvc.post().uri("/order?order=4711")).hasStatusOk();
        assertThat(mvc.post().uri("/order?order=4711")).hasStatusOk();

        assertThat(callee.calls() - before).isEqualTo(1);
    }

    @Test
    void policiesOfServicesThatTheSliceLacksAreNotWarnedOf() {
        assertThat(warnings.all()).noneMatch(warning -> warning.contains("of-a-service"));
    }
}
