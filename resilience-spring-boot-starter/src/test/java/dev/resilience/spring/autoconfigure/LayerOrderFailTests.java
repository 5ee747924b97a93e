package dev.resilience.spring.autoconfigure;

import org.junit.jupiter.api.Test;

/** {@code resilience.order} is a permutation of the layers or nothing. */
class LayerOrderFailTests extends FailingStartup {

    private static final String DEFAULT = "idempotent, rate-limit, bulkhead, circuit-breaker, retry, hedge, time-limit";

    @Test
    void aLayerIsMissing() {
        fail("""
            resilience:
              order: retry, circuit-breaker, bulkhead, idempotent
            """)
                .says("[time-limit] is missing")
                .blames("resilience.order", "retry, circuit-breaker, bulkhead, idempotent", 2)
                .advises("Name every layer once.", DEFAULT);
    }

    @Test
    void aLayerIsThereTwice() {
        fail("resilience.order: retry,retry,circuit-breaker,bulkhead,idempotent,time-limit")
                .says("'retry' is there twice")
                .blames("resilience.order", "retry,retry,circuit-breaker,bulkhead,idempotent,time-limit", 1)
                .advises("Name every layer once.", DEFAULT);
    }

    @Test
    void aNameIsNoLayer() {
        fail("""
            resilience:
              order:
                - idempotent
                - bulkhead
                - breaker
                - retry
                - time-limit
            """)
                .says("'breaker' is not a layer")
                .blames("resilience.order", "idempotent, bulkhead, breaker, retry, time-limit", 3)
                .advises("Did you mean 'circuit-breaker'?", DEFAULT);
    }

    @Test
    void aListHasTheSameLayerTwice() {
        fail("resilience.order: [retry, bulkhead, circuit-breaker, retry, time-limit]")
                .says("'retry' is there twice")
                .blames("resilience.order", "retry, bulkhead, circuit-breaker, retry, time-limit", 1);
    }

    @Test
    void severalThingsAreWrong() {
        fail("resilience.order: [breaker, retrys, rate-limit, bulkhead, bulkhead, time-limit]")
                .says(
                        "There are 4 problems",
                        "'breaker' is not a layer",
                        "'retrys' is not a layer",
                        "'bulkhead' is there twice",
                        "[idempotent, circuit-breaker, retry] is missing")
                .advises("Did you mean 'circuit-breaker'?", "Did you mean 'retry'?");
    }

    @Test
    void theFallbackIsThereTwice() {
        fail("resilience.order: [fallback, idempotent, bulkhead, circuit-breaker, retry, fallback, time-limit]")
                .says("'fallback' is there twice");
    }

    @Test
    void theRateLimitIsThereTwice() {
        fail("resilience.order: [idempotent, rate-limit, bulkhead, circuit-breaker, retry, time-limit, rate-limit]")
                .says("'rate-limit' is there twice")
                .advises("'fallback' and 'rate-limit' and 'hedge' may be left out");
    }

    @Test
    void anAdviceOrderThatIsNoNumber() {
        fail("resilience.advice-order: first").blames("resilience.advice-order", "first", 1);
    }
}
