package com.example.bound;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.LiveRegistry;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.support.AopUtils;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.web.server.servlet.context.ServletWebServerApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Service;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.filter.OncePerRequestFilter;

/** A pointcut that matches everything binds the application's own services, and nothing that they run on. */
class BroadPointcutTests {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "execution(* *(..))",
                "execution(public * *.*(..))",
                "within(com.example..*)",
                "!within(java..*)",
                "execution(* *(..)) && !within(org.springframework.boot..*)",
                "execution(* *(..)) && !@annotation(org.springframework.scheduling.annotation.Scheduled)",
                "execution(* *(..)) && not execution(* org.springframework.web..*.*(..))",
                "!(within(org.springframework.boot..*) || execution(* org.springframework.web..*.*(..)))"
            })
    void bindsTheServicesOfAWebApplication(String pointcut) throws Exception {
        SpringApplication application = new SpringApplication(Shop.class);
        try (ConfigurableApplicationContext context = application.run(
                "--server.port=0",
                "--spring.main.web-application-type=servlet",
                "--spring.main.banner-mode=off",
                "--spring.cloud.gateway.server.webflux.enabled=false",
                "--resilience.idempotency-store.type=memory",
                "--resilience.bindings[0].pointcut=" + pointcut,
                "--resilience.bindings[0].retry=default")) {
            int port = ((ServletWebServerApplicationContext) context)
                    .getWebServer()
                    .getPort();
            String answer = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(java.net.URI.create("http://localhost:" + port + "/price"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            assertThat(answer).isEqualTo("{\"cents\":5}");
            assertThat(context.getBean(LiveRegistry.class).usedBy("retry", "default"))
                    .containsExactlyInAnyOrder("Prices.price()", "Stock.count()");
            assertThat(AopUtils.isAopProxy(context.getBean(Settings.class))).isFalse();
        }
    }

    @Configuration
    @EnableAutoConfiguration(
            excludeName = {
                "org.springframework.cloud.gateway.config.GatewayClassPathWarningAutoConfiguration",
                "org.springframework.cloud.gateway.config.GatewayRedisAutoConfiguration",
                "org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration",
            })
    @EnableConfigurationProperties(Settings.class)
    @Import({Prices.class, Stock.class, Seen.class})
    static class Shop {}

    @ConfigurationProperties("shop")
    record Settings(String name) {}

    record Price(int cents) {}

    @RestController
    static class Prices {

        private final Stock stock;

        Prices(Stock stock) {
            this.stock = stock;
        }

        @GetMapping("/price")
        public Price price() {
            return new Price(stock.count());
        }
    }

    static class Seen extends OncePerRequestFilter {

        @Override
        protected void doFilterInternal(HttpServletRequest request, HttpServletResponse response, FilterChain rest)
                throws IOException, ServletException {
            rest.doFilter(request, response);
        }
    }

    @Service
    static class Stock {

        public int count() {
            return 5;
        }

        @Override
        public String toString() {
            return "stock";
        }
    }
}
