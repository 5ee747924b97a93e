package com.acme.parcels;

import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.retry.annotation.EnableRetry;

@Configuration
// resilience-migration: its order is resilience.advice-order here: remove it
@EnableRetry(order = Ordered.HIGHEST_PRECEDENCE)
public class ParcelConfig {}
