package dev.resilience.springcloud;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.CircuitState;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.ResilienceRegistry;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cloud.openfeign.EnableFeignClients;
import org.springframework.cloud.openfeign.FeignClient;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.web.bind.annotation.GetMapping;

/** Clients of Feign, whose circuit breakers are the library's. */
class FeignTests {

    @Test
    void aClientIsAnsweredByItsFallbackAndFailsFastWithoutOne() {
        try (Backend backend = new Backend();
                ConfigurableApplicationContext application = new SpringApplicationBuilder(Application.class)
                        .properties(
                                "spring.main.web-application-type=none",
                                "spring.main.banner-mode=off",
                                "spring.cloud.gateway.server.webflux.enabled=false",
                                "spring.cloud.openfeign.circuitbreaker.enabled=true",
                                "resilience.circuit-breaker.default.failure-threshold=2",
                                "backend=" + backend.url())
                        .run()) {
            ResilienceRegistry registry = application.getBean(ResilienceRegistry.class);
            Prices prices = application.getBean(Prices.class);
            Orders orders = application.getBean(Orders.class);
            assertThat(prices.price()).isEqualTo("from the backend");

            backend.answersWith(503);
            assertThat(prices.price()).isEqualTo("from the fallback");
            assertThat(prices.price()).isEqualTo("from the fallback");
            assertThat(registry.circuitBreaker("Pricesprice").currentState()).isEqualTo(CircuitState.OPEN);
            int before = backend.calls();
            assertThat(prices.price()).isEqualTo("from the fallback");
            assertThat(backend.calls()).isEqualTo(before);

            backend.answersWith(200);
            assertThat(orders.order()).isEqualTo("from the backend");
            registry.circuitBreaker("Ordersorder").forceOpen();
            assertThatThrownBy(orders::order).rootCause().isInstanceOf(CircuitOpenException.class);
        }
    }

    @FeignClient(name = "prices", url = "${backend}", fallback = LastPrices.class)
    interface Prices {

        @GetMapping("/price")
        String price();
    }

    static final class LastPrices implements Prices {

        @Override
        public String price() {
            return "from the fallback";
        }
    }

    @FeignClient(name = "orders", url = "${backend}")
    interface Orders {

        @GetMapping("/order")
        String order();
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @EnableFeignClients(clients = {Prices.class, Orders.class})
    @Import(LastPrices.class)
    static class Application {}
}
