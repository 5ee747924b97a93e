package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.test.web.server.LocalServerPort;

@ShopTest
class StaticPageTests {

    private final URI shop;

    StaticPageTests(@LocalServerPort int port) {
        shop = URI.create("http://localhost:" + port + "/");
    }

    @ParameterizedTest
    @CsvSource({
        "/, text/html",
        "/shop.css, text/css",
        "/shop.js, text/javascript",
        "/orders.js, text/javascript",
        "/tour.js, text/javascript"
    })
    void thePageIsServedAndLoadsNothingFromElsewhere(String path, String type) throws Exception {
        HttpResponse<String> part = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(shop.resolve(path)).build(), BodyHandlers.ofString());

        assertThat(part.statusCode()).isEqualTo(200);
        assertThat(part.headers().firstValue("Content-Type"))
                .hasValueSatisfying(found -> assertThat(found).startsWith(type));
        assertThat(part.body()).doesNotContain("http:", "https:", "//cdn");
    }
}
