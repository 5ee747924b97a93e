package dev.resilience.spring.slice;

import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.webflux.test.autoconfigure.WebFluxTest;
import org.springframework.context.annotation.Import;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.test.web.reactive.server.WebTestClient;

@WebFluxTest(controllers = ReactiveShop.class, properties = "resilience.retry.slice.max-attempts=3")
@Import({Callee.class, ManualTimeSource.class})
class WebFluxSliceTests {

    @Autowired
    WebTestClient client;

    @Autowired
    Callee callee;

    @Test
    void controllersAreProtected() {
        callee.failNext(2);

        client.get()
                .uri("/reactive/sell")
                .exchange()
                .expectStatus()
                .isOk()
                .expectBody(String.class)
                .isEqualTo("answer 3");
    }

    @Test
    void refusalsAreAnsweredWithProblemDetails() {
        client.get()
                .uri("/reactive/refuse")
                .exchange()
                .expectStatus()
                .isEqualTo(HttpStatus.SERVICE_UNAVAILABLE)
                .expectHeader()
                .contentType(MediaType.APPLICATION_PROBLEM_JSON)
                .expectHeader()
                .valueEquals("Retry-After", "7");
    }
}
