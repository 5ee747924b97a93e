package com.acme.orders;

import io.github.resilience4j.retry.annotation.Retry;

public class Fallback {

    @Retry(name = "orders", fallbackMethod = "none")
    public String order(String id) {
        return id;
    }

    public String none(String id, Exception failure) {
        return "";
    }
}
