package com.acme.accounts;

import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.circuitbreaker.annotation.CircuitBreaker;
import io.github.resilience4j.retry.annotation.Retry;
import java.util.Optional;

/** A client with {@code @Retry(name = "inComment")}, which is text. */
public class CoreClient {

    private static final String CORE = "coreService";

    // @Retry(name = "old")
    private final String help = "write @Retry(name = \"x\") /* here */";

    @Retry(name = CORE)
    @CircuitBreaker(name = CORE, fallbackMethod = "accountUnknown")
    public Optional<String> account(Long id) {
        return Optional.of(help + id);
    }

    @Retry(name = "${core.rates-policy:rates}", fallbackMethod = "noRates")
    public String rates(String currency) {
        return """
            @Retry(name = "in a text")
            """ + currency;
    }

    String noRates(String currency, CallNotPermittedException refused) {
        return "";
    }

    String noRates(String currency, Throwable failure) {
        return "";
    }

    Optional<String> accountUnknown(Long id, Exception failure) {
        return Optional.empty();
    }
}
