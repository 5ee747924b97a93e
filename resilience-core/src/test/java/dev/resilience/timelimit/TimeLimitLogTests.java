package dev.resilience.timelimit;

import static dev.resilience.event.CapturedLog.pairsOf;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import ch.qos.logback.classic.Level;
import dev.resilience.event.CapturedLog;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(60)
@ParameterizedClass
@EnumSource(RunsOn.class)
class TimeLimitLogTests {

    private static final Map<String, Object> EXCEEDED = Map.of(
            "event", "time_limit_exceeded",
            "policy", "orders",
            "timeoutMs", 5_000L,
            "reason", "the call took longer than 5 s");

    private final CapturedLog log = CapturedLog.of(TimeLimit.class);
    private final TestTimeLimit calls;

    TimeLimitLogTests(RunsOn thread) {
        calls = new TestTimeLimit(thread);
    }

    @AfterEach
    void close() {
        log.close();
    }

    @Test
    void aBlockingCallThatTakesTooLongIsToldOf() {
        assertThatThrownBy(() -> calls.pipeline.call(() -> {
                    calls.timeIsOver();
                    return TestTimeLimit.blocked();
                }))
                .isInstanceOf(TimeLimitExceededException.class);

        assertThat(log.single().getLevel()).isEqualTo(Level.WARN);
        assertThat(log.single().getFormattedMessage()).isEqualTo("Time limit 'orders': the call took longer than 5 s");
        assertThat(pairsOf(log.single())).isEqualTo(EXCEEDED);
    }

    @Test
    void anAsynchronousCallThatTakesTooLongIsToldOfAlike() {
        List<CompletableFuture<Object>> answers = callAsync(1);
        calls.timeIsOver();

        assertThat(answers.get(0)).failsWithin(Duration.ofSeconds(30));
        assertThat(pairsOf(log.single())).isEqualTo(EXCEEDED);
    }

    @Test
    void ofManyCallsOneLineASecondTellsHowMany() {
        List<CompletableFuture<Object>> answers = callAsync(100);
        calls.timeIsOver();
        answers.forEach(answer -> assertThat(answer).failsWithin(Duration.ofSeconds(30)));
        calls.time.advance(Duration.ofSeconds(1));

        assertThat(log.events()).hasSize(2);
        assertThat(pairsOf(log.events().get(0))).isEqualTo(EXCEEDED);
        assertThat(pairsOf(log.events().get(1))).containsEntry("event", "time_limit_summary");
        assertThat((long) pairsOf(log.events().get(1)).get("timed_out")).isBetween(1L, 99L);
        calls.assertCounted(0, 100);
    }

    private List<CompletableFuture<Object>> callAsync(int times) {
        List<CompletableFuture<Object>> answers = IntStream.range(0, times)
                .mapToObj(i -> calls.pipeline.callAsync(CompletableFuture<Object>::new))
                .toList();
        TestTimeLimit.soon(() -> calls.limit.workers() == 0);
        return answers;
    }
}
