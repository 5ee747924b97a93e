package dev.resilience.sample.shop;

import dev.resilience.annotation.Bulkhead;
import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.sample.shop.Order.State;
import dev.resilience.sample.shop.PaymentClient.Charge;
import dev.resilience.sample.shop.PaymentClient.Receipt;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

/** Takes an order: charges the customer, then stores the order. */
@Service
class OrderService {

    private final PaymentClient payments;
    private final OrderRepository orders;

    OrderService(PaymentClient payments, OrderRepository orders) {
        this.payments = payments;
        this.orders = orders;
    }

    /**
     * The order and the record of its key commit together: for one key there is one order, even after a crash. The
     * charge is no part of the transaction, because nothing can roll it back; {@link PaymentClient} makes it safe to
     * repeat.
     */
    @Idempotent(value = "orders", key = "#idempotencyKey")
    @Bulkhead("gateway")
    @CircuitBreaker("gateway")
    @Retryable("gateway")
    @Transactional
    Order place(String idempotencyKey, OrderRequest request) {
        Receipt receipt = payments.charge(new Charge(request.customer(), request.amount()));
        return orders.add(request, State.PAID, receipt.paymentId());
    }

    /** The order is paid later: no gateway is called, so a key is all the protection that it needs. */
    @Idempotent(key = "#idempotencyKey")
    @Transactional
    Order placeOnInvoice(String idempotencyKey, OrderRequest request) {
        return orders.add(request, State.PENDING, null);
    }
}
