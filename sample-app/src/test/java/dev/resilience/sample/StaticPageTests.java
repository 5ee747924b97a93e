package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.springframework.boot.test.web.server.LocalServerPort;

@ShopTest
class StaticPageTests {

    private final URI shop;

    StaticPageTests(@LocalServerPort int port) {
        shop = URI.create("http://localhost:" + port + "/");
    }

    @Test
    void thePageIsServedAndLoadsNothingFromElsewhere() throws Exception {
        HttpResponse<String> page =
                HttpClient.newHttpClient().send(HttpRequest.newBuilder(shop).build(), BodyHandlers.ofString());

        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type"))
                .hasValueSatisfying(type -> assertThat(type).startsWith("text/html"));
        assertThat(page.body())
                .contains("Place order", "/actuator/resilience")
                .doesNotContain("http:", "https:", "//cdn");
    }
}
