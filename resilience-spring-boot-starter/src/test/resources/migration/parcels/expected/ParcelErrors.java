package com.acme.parcels;

import dev.resilience.exception.BulkheadFullException;
import dev.resilience.exception.CircuitOpenException;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import java.util.concurrent.TimeoutException;

public class ParcelErrors {

    int status(Throwable failure) {
        if (failure instanceof RequestNotPermitted) {
            return 429;
        }
        if (failure instanceof TimeoutException) {
            return 408;
        }
        return failure instanceof CircuitOpenException || failure instanceof BulkheadFullException ? 503 : 500;
    }
}
