package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.MediaType;
import org.springframework.web.client.RestClient;

/** The endpoint on a port of its own, with WebFlux, has an object as the policy too. */
@SpringBootTest(
        classes = ReactiveManagementPortTests.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "spring.main.web-application-type=reactive",
            "management.server.port=0",
            "management.endpoints.web.exposure.include=resilience",
            "management.endpoints.web.path-mapping.resilience=limits",
            "spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                    + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration,"
                    + "org.springframework.boot.tomcat.autoconfigure.actuate.web.server"
                    + ".TomcatReactiveManagementContextAutoConfiguration"
        })
class ReactiveManagementPortTests {

    @Test
    void aPolicyIsChangedByAnObject(@Value("${local.management.port}") int port) {
        String answer = RestClient.create("http://localhost:" + port)
                .post()
                .uri("/actuator/limits/bulkhead/default")
                .contentType(MediaType.APPLICATION_JSON)
                .body("{\"policy\": {\"max-concurrent\": 3}}")
                .retrieve()
                .body(String.class);
        assertThat(answer).contains("\"max-concurrent\":3");
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}
}
