package com.acme.orders;

import dev.resilience.annotation.Retryable;

public class Fallback {

    @Retryable("orders")
    @dev.resilience.annotation.Fallback("none")
    public String order(String id) {
        return id;
    }

    public String none(String id, Exception failure) {
        return "";
    }
}
