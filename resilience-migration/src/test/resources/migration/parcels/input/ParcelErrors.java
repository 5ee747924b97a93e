package com.acme.parcels;

import io.github.resilience4j.bulkhead.BulkheadFullException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
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
        return failure instanceof CallNotPermittedException || failure instanceof BulkheadFullException ? 503 : 500;
    }
}
