package dev.resilience.sample.shop;

import java.math.BigDecimal;
import org.jspecify.annotations.Nullable;

/**
 * An order.
 *
 * @param paymentId the gateway's; an order on invoice has none
 * @param version grows with each change; in HTTP it is the entity tag
 */
record Order(
        long id,
        String customer,
        String item,
        BigDecimal amount,
        @Nullable String paymentId,
        State state,
        int version) {

    enum State {
        PENDING,
        PAID
    }
}
