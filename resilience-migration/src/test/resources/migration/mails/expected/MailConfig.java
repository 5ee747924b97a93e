package com.acme.mails;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.retry.support.RetryTemplate;

// resilience-migration: RetryTemplate: code that uses it stays; see 'In code' in docs/from-spring-retry.md
@Configuration
public class MailConfig {

    @Bean
    RetryTemplate retryTemplate() {
        return RetryTemplate.builder().maxAttempts(4).fixedBackoff(500).build();
    }
}
