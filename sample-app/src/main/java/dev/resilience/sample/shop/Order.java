package dev.resilience.sample.shop;

import java.math.BigDecimal;

/** An order that is paid. */
record Order(long id, String customer, String item, BigDecimal amount, String paymentId) {}
