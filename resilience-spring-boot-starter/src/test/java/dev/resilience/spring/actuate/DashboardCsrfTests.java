package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.event.CircuitState;
import dev.resilience.spring.ResilienceRegistry;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.HttpHeaders;
import org.springframework.security.config.Customizer;
import org.springframework.security.config.annotation.web.builders.HttpSecurity;
import org.springframework.security.config.annotation.web.configuration.EnableWebSecurity;
import org.springframework.security.config.annotation.web.configurers.CsrfConfigurer;
import org.springframework.security.core.userdetails.User;
import org.springframework.security.core.userdetails.UserDetailsService;
import org.springframework.security.provisioning.InMemoryUserDetailsManager;
import org.springframework.security.web.SecurityFilterChain;

/** With the configuration of docs/dashboard.md the page gets a token that it can send back, and only then may it write. */
@SpringBootTest(
        classes = DashboardCsrfTests.Application.class,
        webEnvironment = SpringBootTest.WebEnvironment.RANDOM_PORT,
        properties = {
            "management.endpoints.web.exposure.include=resilience,resiliencedashboard",
            "spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                    + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
class DashboardCsrfTests {

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableWebSecurity
    static class Application {

        @Bean
        UserDetailsService users() {
            return new InMemoryUserDetailsManager(
                    User.withUsername("user").password("{noop}secret").build());
        }

        @Bean
        SecurityFilterChain actuator(HttpSecurity http) throws Exception {
            return http.authorizeHttpRequests(requests -> requests.anyRequest().authenticated())
                    .csrf(CsrfConfigurer::spa)
                    .httpBasic(Customizer.withDefaults())
                    .build();
        }
    }

    @LocalServerPort
    int port;

    @Autowired
    ResilienceRegistry registry;

    @Test
    void theTokenOfTheCookieOpensTheWay() throws Exception {
        String cookie = send(request("resiliencedashboard/data").GET())
                .headers()
                .firstValue("Set-Cookie")
                .orElseThrow();
        String token = cookie.substring("XSRF-TOKEN=".length(), cookie.indexOf(';'));

        assertThat(send(forceOpen()).statusCode()).isEqualTo(403);
        assertThat(registry.circuitBreaker("default").currentState()).isEqualTo(CircuitState.CLOSED);

        assertThat(send(forceOpen().header("Cookie", "XSRF-TOKEN=" + token).header("X-XSRF-TOKEN", token))
                        .statusCode())
                .isEqualTo(200);
        assertThat(registry.circuitBreaker("default").currentState()).isEqualTo(CircuitState.FORCED_OPEN);
    }

    private HttpRequest.Builder forceOpen() {
        return request("resilience/circuit-breaker/default")
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString("{\"action\": \"force-open\"}"));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create("http://localhost:" + port + "/actuator/" + path))
                .header("Authorization", "Basic " + HttpHeaders.encodeBasicAuth("user", "secret", null));
    }

    private static HttpResponse<String> send(HttpRequest.Builder request) throws Exception {
        return HttpClient.newHttpClient().send(request.build(), BodyHandlers.ofString());
    }
}
