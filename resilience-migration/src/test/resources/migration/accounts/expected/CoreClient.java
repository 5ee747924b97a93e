package com.acme.accounts;

import dev.resilience.annotation.CircuitBreaker;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Retryable;
import dev.resilience.exception.CircuitOpenException;
import io.github.resilience4j.retry.annotation.Retry;
import java.util.Optional;

/** A client with {@code @Retry(name = "inComment")}, which is text. */
public class CoreClient {

    private static final String CORE = "coreService";

    // @Retry(name = "old")
    private final String help = "write @Retry(name = \"x\") /* here */";

    @Retryable(CORE)
    // resilience-migration: the fallback stood inside of the retry, which retried nothing; here it is outermost
    @CircuitBreaker(CORE)
    @Fallback("accountUnknown")
    public Optional<String> account(Long id) {
        return Optional.of(help + id);
    }

    // resilience-migration: which policy it names is not known before the application runs: write the policy below 'resilience', and the annotation with its name
    @Retry(name = "${core.rates-policy:rates}", fallbackMethod = "noRates")
    public String rates(String currency) {
        return """
            @Retry(name = "in a text")
            """ + currency;
    }

    String noRates(String currency, CircuitOpenException refused) {
        return "";
    }

    String noRates(String currency, Throwable failure) {
        return "";
    }

    Optional<String> accountUnknown(Long id, Exception failure) {
        return Optional.empty();
    }
}
