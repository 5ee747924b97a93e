package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.web.reactive.server.WebTestClient;

@SpringBootTest(
        classes = ReactiveDashboardTests.Application.class,
        properties = {
            "spring.main.web-application-type=reactive",
            "spring.application.name=shop",
            "management.endpoints.web.exposure.include=resiliencedashboard",
            "spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                    + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
class ReactiveDashboardTests {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @Autowired
    ApplicationContext context;

    @ParameterizedTest
    @CsvSource({
        "resiliencedashboard, text/html, text/html;charset=UTF-8, <title>",
        "resiliencedashboard/page.js, */*, text/javascript;charset=UTF-8, poll()",
        "resiliencedashboard/page.css, 'text/css,*/*;q=0.1', text/css;charset=UTF-8, :root"
    })
    void eachPartHasItsType(String path, String accepted, String type, String content) {
        get(path, accepted)
                .expectStatus()
                .isOk()
                .expectHeader()
                .valueEquals("Content-Type", type)
                .expectBody(String.class)
                .value(body -> assertThat(body).contains(content));
    }

    @Test
    void theDataHasThePolicies() {
        get("resiliencedashboard/data", "application/json")
                .expectStatus()
                .isOk()
                .expectBody()
                .jsonPath("$.application")
                .isEqualTo("shop")
                .jsonPath("$.policies.bulkhead.default.values[0]")
                .isEqualTo(java.util.List.of(0, 10));
    }

    @ParameterizedTest
    @CsvSource({"nothing, 404", "data?since=abc, 400"})
    void whatMakesNoSenseIsRefused(String part, int status) {
        get("resiliencedashboard/" + part, "application/json").expectStatus().isEqualTo(status);
    }

    private WebTestClient.ResponseSpec get(String path, String accepted) {
        return WebTestClient.bindToApplicationContext(context)
                .build()
                .get()
                .uri("/actuator/" + path)
                .header("Accept", accepted)
                .exchange();
    }
}
