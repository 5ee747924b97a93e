package dev.resilience.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.Resilience;
import dev.resilience.context.CallContext;
import dev.resilience.event.CallTimedOut;
import dev.resilience.event.RetryScheduled;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Code of others that is called because of a call, but is no part of it, does not run in its context. */
class OutsideOfTheCallTests {

    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final List<String> parts = new ArrayList<>();
    private final Pipeline pipeline = resilience
            .pipeline("p")
            .retry(RetryPolicy.builder()
                    .maxAttempts(2)
                    .budget(RetryPolicy.NO_BUDGET)
                    .backoff(Backoff.builder().baseDelay(Duration.ZERO).build())
                    .build())
            .timeLimit(TimeLimitPolicy.builder().timeout(TIMEOUT).build())
            .build();

    private void note(String part) {
        parts.add(part + (CallContext.current().attempt() == null ? " outside" : " inside"));
    }

    /** Its time is over before the body has returned it. */
    @Test
    void callbacksOfAStageThatIsCancelledWhenItIsReturned() {
        pipeline.callAsync(() -> {
            note("body");
            CompletableFuture<String> late = new CompletableFuture<>();
            late.whenComplete((result, failure) -> note("cancelled " + late.isCancelled()));
            if (parts.size() == 1) {
                time.advance(TIMEOUT);
            }
            return late;
        });

        assertThat(parts).containsExactly("body inside", "cancelled true outside", "body inside");
    }

    @Test
    void callbacksOfTheCallersFuture() {
        CompletableFuture<String> first = new CompletableFuture<>();
        List<CompletableFuture<String>> bodies = new ArrayList<>(List.of(first, new CompletableFuture<>()));
        CompletableFuture<String> second = bodies.get(1);
        pipeline.<String>callAsync(() -> {
                    note("body");
                    return bodies.remove(0);
                })
                .thenAccept(result -> note("callback"));
        first.completeExceptionally(new ConnectException("down"));
        second.complete("ok");

        assertThat(parts).containsExactly("body inside", "body inside", "callback outside");
    }

    @Test
    void listeners() {
        resilience.onEvent(RetryScheduled.class, event -> note("retry scheduled"));
        resilience.onEvent(CallTimedOut.class, event -> note("timed out"));
        pipeline.<String>callAsync(() -> {
            note("body");
            if (parts.size() == 1) {
                time.advance(TIMEOUT);
            }
            return new CompletableFuture<>();
        });

        assertThat(parts).containsExactly("body inside", "timed out outside", "retry scheduled outside", "body inside");
    }
}
