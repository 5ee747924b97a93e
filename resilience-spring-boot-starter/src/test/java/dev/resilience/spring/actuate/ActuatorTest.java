package dev.resilience.spring.actuate;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import dev.resilience.retry.BackoffFunction;
import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.function.Predicate;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.test.context.SpringBootTest;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

/** A test of the endpoint over HTTP, in an application that all of these tests share. */
@Retention(RetentionPolicy.RUNTIME)
@SpringBootTest(
        classes = ActuatorTest.Application.class,
        properties = {
            "resilience.retry.default.backoff.jitter=none",
            "resilience.retry.orders.max-attempts=4",
            "resilience.retry.orders.max-duration=90s",
            "resilience.retry.orders.retry-on=java.io.IOException",
            "resilience.circuit-breaker.orders.failure-threshold=2",
            "resilience.circuit-breaker.orders.slow-call-duration=1500ms",
            "resilience.circuit-breaker.inspected.half-open.max-concurrent=3",
            "resilience.circuit-breaker.inspected.record-on-result=#result == 'down'",
            "resilience.bulkhead.orders.max-concurrent=7",
            "resilience.time-limit.orders.timeout=2s",
            "resilience.idempotency.orders.max-result-size=1MB",
            "resilience.retry-budget.shared.max-ratio=0.2",
            "resilience.retry.kept.dead-letter=true",
            "resilience.retry.kept.retry-if=everyFailure",
            "resilience.retry.kept.retry-on-result=#result == 'later'",
            "resilience.retry.kept.backoff.function=slowly",
            "management.endpoints.web.exposure.include=resilience,loggers,notes",
            "spring.autoconfigure.exclude=org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration,"
                    + "org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration"
        })
@interface ActuatorTest {

    record Order(int id) {}

    /** A service that uses a policy of each kind. */
    class OrderService {

        @Autowired
        Callee callee;

        @Idempotent(value = "orders", key = "#order.id")
        @Bulkhead("orders")
        @CircuitBreaker("orders")
        @Retryable("orders")
        @TimeLimit("orders")
        public String place(Order order) throws ConnectException {
            return callee.call();
        }

        @Retryable("kept")
        public String keep(String secret) throws ConnectException {
            return callee.call();
        }

        @Retryable("orders")
        public String find(int id, String detail) throws ConnectException {
            return callee.call();
        }
    }

    /** An endpoint of the application's own, whose bodies and paths look like those of ours. */
    @Endpoint(id = "notes")
    class Notes {

        @WriteOperation
        public String write(@Selector String kind, @Selector String name, String policy) {
            return policy;
        }
    }

    /** The application. */
    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    @Import({OrderService.class, Notes.class, Callee.class, ManualTimeSource.class})
    class Application {

        @Bean
        Predicate<Throwable> everyFailure() {
            return failure -> true;
        }

        @Bean
        BackoffFunction slowly() {
            return (attempt, failure, result) -> Duration.ofSeconds(attempt);
        }

        @Bean
        MockMvcTester mvc(WebApplicationContext context) {
            return MockMvcTester.from(context);
        }
    }
}
