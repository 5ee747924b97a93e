package com.acme.mails;

import java.util.Map;
import org.springframework.retry.annotation.*;
import org.springframework.scheduling.annotation.Async;
import org.springframework.stereotype.Service;

@Service
public class MailService {

    @Async("mailExecutor")
    @Retryable(
        retryFor = IllegalStateException.class,
        backoff = @Backoff(delay = 2000, multiplier = 3.0)
    )
    public void sendCode(String address, String code) {
    }

    @Recover
    public void codeNotSent(IllegalStateException e, String address, String code) {
    }

    @Retryable(value = { RuntimeException.class }, maxAttempts = 3, backoff = @Backoff(delay = 3600000L))
    public void digest() {
    }

    @Retryable(include = RuntimeException.class, label = "mails.push", backoff = @Backoff(value = 3000L))
    public Map<String, Object> push(Map<String, Object> message) {
        return message;
    }

    @Recover
    public String pushed(RuntimeException e) {
        return "";
    }
}
