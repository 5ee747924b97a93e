package dev.resilience.sample.shop;

import dev.resilience.context.IdempotencyContext;
import dev.resilience.sample.gateway.PaymentGateway;
import java.math.BigDecimal;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;

/** Calls the payment gateway over HTTP. */
@Component
class PaymentClient {

    private final RestClient gateway;

    PaymentClient(RestClient.Builder builder, PaymentGateway gateway) {
        this.gateway = builder.baseUrl(gateway.uri()).build();
    }

    /**
     * Charges a customer. Every attempt of the idempotent call around it sends the same key, after a crash of the
     * shop too, so the gateway charges once even if its answer was lost.
     */
    Receipt charge(String customer, BigDecimal amount) {
        return gateway.post()
                .uri("/charges")
                .header("Idempotency-Key", IdempotencyContext.downstreamKeyOrNew())
                .body(new Charge(customer, amount))
                .retrieve()
                .requiredBody(Receipt.class);
    }

    record Receipt(String paymentId) {}

    private record Charge(String customer, BigDecimal amount) {}
}
