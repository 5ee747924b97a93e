package com.acme.parcels;

import org.springframework.context.annotation.Configuration;
import org.springframework.core.Ordered;

@Configuration
public class ParcelConfig {}
