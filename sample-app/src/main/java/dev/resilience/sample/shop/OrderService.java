package dev.resilience.sample.shop;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import org.springframework.stereotype.Service;

/** Takes an order: charges the customer, then stores the order. */
@Service
class OrderService {

    private final PaymentClient payments;
    private final OrderRepository orders;

    OrderService(PaymentClient payments, OrderRepository orders) {
        this.payments = payments;
        this.orders = orders;
    }

    /** The annotations stand in the order in which they work, the outermost first. */
    @Idempotent(value = "orders", key = "#idempotencyKey")
    @Bulkhead("gateway")
    @CircuitBreaker("gateway")
    @Retryable("gateway")
    Order place(String idempotencyKey, OrderRequest request) {
        PaymentClient.Receipt receipt = payments.charge(idempotencyKey, request.customer(), request.amount());
        return orders.add(request, receipt.paymentId());
    }
}
