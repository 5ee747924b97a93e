package com.acme.cart;

import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.retry.annotation.EnableRetry;

// resilience-migration: annotations that stay need it
@EnableRetry(proxyTargetClass = true)
@SpringBootApplication
public class CartApplication {}
