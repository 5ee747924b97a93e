package com.acme.parcels;

import dev.resilience.exception.BulkheadFullException;
import io.github.resilience4j.circuitbreaker.CallNotPermittedException;
import io.github.resilience4j.ratelimiter.RequestNotPermitted;
import java.util.concurrent.TimeoutException;

// resilience-migration: CallNotPermittedException: what is protected by this library throws dev.resilience.exception.CircuitOpenException instead
// resilience-migration: TimeoutException: a @TimeLimit ends with TimeLimitExceededException, which is no TimeoutException: handle that, too
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
