package com.acme.mails;

import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.retry.annotation.EnableRetry;
import org.springframework.retry.support.RetryTemplate;

@Configuration
@EnableRetry
public class MailConfig {

    @Bean
    RetryTemplate retryTemplate() {
        return RetryTemplate.builder().maxAttempts(4).fixedBackoff(500).build();
    }
}
