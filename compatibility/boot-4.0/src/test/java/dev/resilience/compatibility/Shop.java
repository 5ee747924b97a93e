package dev.resilience.compatibility;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.annotation.TimeLimit;
import java.net.ConnectException;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RestController;

/** An application with every annotation, whose idempotent results are in a database. */
@SpringBootApplication
class Shop {

    record Order(String item, int amount, @Nullable String remark) {}

    record Receipt(
            String order,
            Instant at,
            List<String> lines,
            @Nullable String remark) {}

    @RestController
    static class Orders {

        private final Ledger ledger;
        private final Gateway gateway;

        Orders(Ledger ledger, Gateway gateway) {
            this.ledger = ledger;
            this.gateway = gateway;
        }

        @PostMapping("/orders")
        @Idempotent(header = "Idempotency-Key")
        public ResponseEntity<Receipt> place(@RequestBody Order order, @RequestHeader("Idempotency-Key") String key) {
            return ResponseEntity.status(201).body(ledger.book(key, order));
        }

        @GetMapping("/broken")
        String broken() throws ConnectException {
            return gateway.refuse();
        }
    }

    @Service
    static class Ledger {

        private final JdbcClient jdbc;

        Ledger(JdbcClient jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        @Transactional
        public Receipt book(String key, Order order) {
            jdbc.sql("INSERT INTO ledger VALUES (?, ?)")
                    .params(order.item(), order.amount())
                    .update();
            return new Receipt(order.item(), Instant.now(), List.of("one", "two"), order.remark());
        }

        int entries(String item) {
            return jdbc.sql("SELECT count(*) FROM ledger WHERE item = ?")
                    .param(item)
                    .query(Integer.class)
                    .single();
        }
    }

    @Service
    static class Gateway {

        private final AtomicInteger calls = new AtomicInteger();

        /** Succeeds at the second attempt. */
        @Retryable("gateway")
        @CircuitBreaker("gateway")
        @Bulkhead("gateway")
        @TimeLimit("gateway")
        public String charge() throws ConnectException {
            if (calls.incrementAndGet() % 2 == 1) {
                throw new ConnectException("refused");
            }
            return "charged";
        }

        @Retryable("gateway")
        @CircuitBreaker("gateway")
        @Bulkhead("gateway")
        @TimeLimit("gateway")
        public CompletableFuture<String> chargeLater() {
            return calls.incrementAndGet() % 2 == 1
                    ? CompletableFuture.failedFuture(new ConnectException("refused"))
                    : CompletableFuture.completedFuture("charged later");
        }

        @CircuitBreaker("fragile")
        public String refuse() throws ConnectException {
            throw new ConnectException("refused");
        }

        @Retryable("gateway")
        @Fallback("cached")
        public String price(String item) throws ConnectException {
            throw new ConnectException("refused " + item);
        }

        String cached(String item) {
            return "the price of " + item + " as it was";
        }

        /** Its caller has a place in the bulkhead, and there is no other. */
        @Bulkhead("narrow")
        public String enter(ThrowingCall inside) throws Exception {
            return inside.call();
        }

        @TimeLimit("short")
        public String hang() throws InterruptedException {
            Thread.sleep(60_000);
            return "never";
        }
    }

    interface ThrowingCall {

        String call() throws Exception;
    }
}
