package com.example.desk;

import dev.resilience.annotation.Retryable;

/** Has an annotated method that no subclass in another package overrides, and so no proxy of one. */
public class FarShop {

    @Retryable("default")
    void sell() {}
}
