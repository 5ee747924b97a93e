package dev.resilience.sample.shop;

import java.math.BigDecimal;
import org.springframework.util.Assert;

/** What a customer asks for. */
record OrderRequest(String customer, String item, BigDecimal amount) {

    OrderRequest {
        Assert.hasText(customer, "customer is missing");
        Assert.hasText(item, "item is missing");
        Assert.isTrue(amount != null && amount.signum() > 0, "amount must be above zero");
    }
}
