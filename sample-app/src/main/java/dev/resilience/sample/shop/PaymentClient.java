package dev.resilience.sample.shop;

import java.math.BigDecimal;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.service.annotation.PostExchange;

/**
 * The payment gateway over HTTP. Every attempt of the idempotent call around it sends the same {@code Idempotency-Key},
 * after a crash of the shop too, so the gateway charges once even if its answer was lost.
 */
interface PaymentClient {

    @PostExchange("/charges")
    Receipt charge(@RequestBody Charge charge);

    record Charge(String customer, BigDecimal amount) {}

    record Receipt(String paymentId) {}
}
