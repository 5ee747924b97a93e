package com.acme.parcels;

import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;
import org.springframework.retry.annotation.EnableRetry;

@Configuration
@EnableRetry(order = Ordered.HIGHEST_PRECEDENCE)
public class ParcelConfig {}
