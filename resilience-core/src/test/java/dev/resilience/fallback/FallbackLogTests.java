package dev.resilience.fallback;

import static dev.resilience.event.CapturedLog.pairsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.resilience.event.CapturedLog;
import dev.resilience.event.FallbackOutcome;
import dev.resilience.pipeline.CallStyle;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.io.IOException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

/** A fallback hides an outage from the caller, but not from the log. */
@ParameterizedClass
@EnumSource
class FallbackLogTests {

    private final CallStyle style;
    private final ManualTimeSource time = new ManualTimeSource();
    private final CapturedLog log = CapturedLog.of(Fallback.class);
    private @Nullable RuntimeException failureOfFallback;
    private final Fallback fallback = new Fallback("OrderService.place", new Answer(), time);

    FallbackLogTests(CallStyle style) {
        this.style = style;
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void anAnswerIsToldWithWhatItIsFor() throws Throwable {
        assertThat(call(new IOException("down"))).isEqualTo("fallback");

        assertThat(log.single().getLevel()).isEqualTo(Level.WARN);
        assertThat(pairsOf(log.single()))
                .isEqualTo(Map.of(
                        "event", "fallback_answered",
                        "policy", "OrderService.place",
                        "errorType", "java.io.IOException",
                        "errorMessage", "down"));
        assertThat(log.single().getFormattedMessage())
                .isEqualTo("Fallback 'OrderService.place': the fallback method answered for java.io.IOException: down");
    }

    @Test
    void aFallbackThatFailsIsToldWithBothFailures() {
        failureOfFallback = new IllegalStateException("down too");

        assertThatThrownBy(() -> call(new IOException("down"))).isSameAs(failureOfFallback);

        assertThat(pairsOf(log.single()))
                .isEqualTo(Map.of(
                        "event", "fallback_failed",
                        "policy", "OrderService.place",
                        "answeredFor", "java.io.IOException",
                        "errorType", "java.lang.IllegalStateException",
                        "errorMessage", "down too"));
    }

    @Test
    void aCallThatSucceedsLeavesNoTrace() throws Throwable {
        style.call(Pipeline.of(fallback), time, () -> "result");

        assertThat(log.events()).isEmpty();
    }

    @Test
    void ofManyAnswersOneLineASecondTellsHowMany() throws Throwable {
        for (int second = 0; second < 3; second++) {
            for (int call = 0; call < 100; call++) {
                call(new IOException("down"));
            }
            time.advance(Duration.ofSeconds(1));
        }

        assertThat(log.events()).hasSize(1 + 3);
        assertThat(pairsOf(log.events().get(3)))
                .containsEntry("event", "fallback_summary")
                .containsEntry("success", 100L)
                .containsEntry("failure", 0L);
        assertThat(log.events().get(3).getFormattedMessage())
                .isEqualTo("Fallback 'OrderService.place': in the last second also 100 success, the first of them with "
                        + "java.io.IOException: down");
        assertThat(fallback.calls().get(FallbackOutcome.SUCCESS)).isEqualTo(300);
    }

    @Test
    void whatIsFoldedIsWrittenWhenTheFallbackIsClosed() throws Throwable {
        for (int call = 0; call < 12; call++) {
            call(new IOException("down"));
        }

        fallback.close();

        assertThat(pairsOf(log.events().get(1))).containsEntry("success", 11L);
    }

    private @Nullable Object call(Throwable failure) throws Throwable {
        return style.call(Pipeline.of(fallback), time, () -> {
            throw failure;
        });
    }

    private final class Answer implements FallbackMethod {

        @Override
        public boolean answers(Throwable failure) {
            return true;
        }

        @Override
        public Object answer(Invocation invocation, Throwable failure) {
            if (failureOfFallback != null) {
                throw failureOfFallback;
            }
            return style.isAsync() ? CompletableFuture.completedFuture("fallback") : "fallback";
        }
    }
}
