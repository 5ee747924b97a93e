package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Callee;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.client.RestClient;

/** The endpoint on a port of its own, which has a child context, shows the application's policies. */
@SpringBootTest(
        classes = ManagementPortTests.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "management.server.port=0",
            "spring.security.user.password=secret",
            "management.endpoints.web.exposure.include=resilience",
            "spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                    + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
class ManagementPortTests {

    @Test
    void showsThePoliciesOfTheApplication(
            @Value("${local.management.port}") int port,
            @Autowired Shop shop,
            @Autowired Callee callee,
            @Autowired StartupWarnings warnings) {
        assertThat(callee.attemptsOf(shop::sell)).isEqualTo(3);
        String shown = RestClient.create("http://localhost:" + port)
                .get()
                .uri("/actuator/resilience/retry/default")
                .headers(headers -> headers.setBasicAuth("user", "secret"))
                .retrieve()
                .body(String.class);
        assertThat(shown).contains("\"usedBy\":[\"Shop.sell()\"]", "\"exhausted\":1");
        assertThat(warnings.all()).noneSatisfy(warning -> assertThat(warning).contains("parent"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({Shop.class, Callee.class})
    static class Application {

        @Bean
        ManualTimeSource time() {
            return new ManualTimeSource();
        }
    }

    static class Shop {

        @Autowired
        Callee callee;

        @Retryable("default")
        public String sell() throws ConnectException {
            return callee.call();
        }
    }
}
