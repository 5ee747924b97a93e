package dev.resilience.sample.shop;

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
     * Charges a customer.
     *
     * @param idempotencyKey the same for every attempt to pay for one order, so that a gateway can tell them apart
     */
    Receipt charge(String idempotencyKey, String customer, BigDecimal amount) {
        return gateway.post()
                .uri("/charges")
                .header("Idempotency-Key", idempotencyKey)
                .body(new Charge(customer, amount))
                .retrieve()
                .requiredBody(Receipt.class);
    }

    record Receipt(String paymentId) {}

    private record Charge(String customer, BigDecimal amount) {}
}
