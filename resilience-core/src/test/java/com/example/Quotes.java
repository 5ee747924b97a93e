package com.example;

import dev.resilience.Resilience;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.io.IOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

final class Quotes {

    private final HttpClient http = HttpClient.newHttpClient();
    private final Pipeline texts;
    private final Pipeline answers;

    Quotes(Resilience resilience) {
        CircuitBreaker exchange = resilience.circuitBreaker("exchange", CircuitBreakerPolicy.defaults());
        Retry impatient = resilience.retry(
                "impatient",
                RetryPolicy.builder().maxDuration(Duration.ofSeconds(2)).build());
        texts = resilience
                .pipeline("quotes")
                .timeLimit(TimeLimitPolicy.defaults())
                .circuitBreaker(exchange)
                .fallback(CircuitOpenException.class, refused -> "no quote for " + refused.retryAfter())
                .build();
        answers = resilience.outermostFirst(impatient, exchange);
    }

    String read(Path file) throws IOException {
        return texts.call(() -> Files.readString(file));
    }

    String get(Supplier<String> source) {
        return texts.get(source);
    }

    void delete(Path file) throws IOException {
        answers.run(() -> Files.delete(file));
    }

    CompletableFuture<HttpResponse<String>> ask(HttpRequest request) {
        return answers.callAsync(() -> http.sendAsync(request, BodyHandlers.ofString()));
    }
}
