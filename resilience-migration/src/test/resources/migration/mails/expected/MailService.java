package com.acme.mails;

import java.util.Map;

import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import org.springframework.retry.annotation.Recover;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

@Service
public class MailService {

    @Async("mailExecutor")
    @Retryable(delay = "2s", multiplier = 3.0, retryOn = IllegalStateException.class)
    @Fallback("codeNotSent")
    public void sendCode(String address, String code) {
    }

    public void codeNotSent(IllegalStateException e, String address, String code) {
    }

    @Retryable(
            maxAttempts = 3,
            delay = "3600s",
            multiplier = 1,
            maxDelay = "3600s",
            retryOn = { RuntimeException.class })
    public void digest() {
    }

    @Retryable(delay = "3s", multiplier = 1, retryOn = RuntimeException.class)
    public Map<String, Object> push(Map<String, Object> message) {
        return message;
    }

    // resilience-migration: a method that stays needs it, or no method is known to have it as its answer
    @Recover
    public String pushed(RuntimeException e) {
        return "";
    }
}
