package dev.resilience.retry;

import static dev.resilience.event.CapturedLog.pairsOf;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.resilience.event.CapturedLog;
import dev.resilience.event.EventPublisher;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A thousand calls a second fail, for six seconds. Nothing of it is missing in the log, nothing is in it twice, nothing is
 * announced that did not happen, and it can be read.
 */
@Timeout(120)
class OutageLogTests {

    private static final int TICKS_PER_SECOND = 20;
    private static final int CALLS_PER_TICK = 50;
    private static final Duration TICK = Duration.ofSeconds(1).dividedBy(TICKS_PER_SECOND);

    private final ManualTimeSource time = new ManualTimeSource();
    private final EventPublisher events = new EventPublisher();
    private final RetryBudget budget = new RetryBudget("payments", RetryBudgetPolicy.defaults(), time);
    private final Retry retry = RetryBuilder.retry("payments", RetryPolicy.defaults())
            .timeSource(time)
            .events(events)
            .budget(budget)
            .build();
    private final Pipeline pipeline = Pipeline.of(retry);
    private final AtomicInteger bodies = new AtomicInteger();
    private final AtomicLong announced = new AtomicLong();
    private final CapturedLog log = CapturedLog.of(Retry.class);
    private final List<CompletableFuture<Object>> calls = new ArrayList<>();
    private final List<Integer> linesBySecond = new ArrayList<>();
    private boolean outage = true;

    @AfterEach
    void close() {
        log.close();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 8})
    void theLogTellsTheTruthAndLittle(int threads) throws Exception {
        events.add(event -> announced.addAndGet(event instanceof RetryScheduled ? 1 : 0));
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        try {
            pass(6, callers, threads);
            outage = false;
            pass(6, callers, threads);
        } finally {
            callers.shutdownNow();
        }
        time.advance(Duration.ofMinutes(10));

        assertThat(calls).hasSize(12_000).allMatch(CompletableFuture::isDone);
        assertThat(linesBySecond).as("lines in each second").allMatch(lines -> lines <= 4 + 1);
        assertThat(linesBySecond.subList(3, 12))
                .as("lines in a second after that: one, and one more when a retry first succeeds")
                .allMatch(lines -> lines <= 2)
                .filteredOn(lines -> lines > 1)
                .hasSizeLessThanOrEqualTo(1);
        assertThat(linesBySecond.subList(8, 12)).as("lines when all is well").allMatch(lines -> lines <= 1);
        assertThat(log.events())
                .filteredOn(line -> pairsOf(line).get("event").equals("retry_summary"))
                .hasSizeBetween(6, 12);
        Offset<Long> off = Offset.offset(12L * (threads - 1)); // one for each other thread at the turn of a second
        assertThat(counted("retry_attempt", "retries")).isPositive().isCloseTo(retry.attempts(), off);
        assertThat(counted("retry_recovered", "success_after_retry"))
                .isPositive()
                .isCloseTo(of(RetryOutcome.SUCCESS_AFTER_RETRY), off);
        assertThat(counted("retry_exhausted", "exhausted")).isCloseTo(of(RetryOutcome.EXHAUSTED), off);
        assertThat(counted("retry_budget_exhausted", "budget_exhausted"))
                .isPositive()
                .isCloseTo(of(RetryOutcome.BUDGET_EXHAUSTED), off);
        assertThat(retry.calls().total()).isEqualTo(12_000);
        assertThat(bodies.get()).as("calls of the method").isEqualTo(12_000 + retry.attempts());
        assertThat(announced.get())
                .as("retries that listeners were told of and that were made")
                .isEqualTo(retry.attempts());
    }

    private void pass(int seconds, ExecutorService callers, int threads) throws Exception {
        for (int second = 0; second < seconds; second++) {
            int before = log.events().size();
            for (int tick = 0; tick < TICKS_PER_SECOND; tick++) {
                List<Future<List<CompletableFuture<Object>>>> made = new ArrayList<>();
                for (int thread = 0; thread < threads; thread++) {
                    int share = CALLS_PER_TICK / threads + (thread < CALLS_PER_TICK % threads ? 1 : 0);
                    made.add(callers.submit(() -> call(share)));
                }
                for (Future<List<CompletableFuture<Object>>> batch : made) {
                    calls.addAll(batch.get());
                }
                time.advance(TICK);
            }
            linesBySecond.add(log.events().size() - before);
        }
    }

    private List<CompletableFuture<Object>> call(int times) {
        List<CompletableFuture<Object>> made = new ArrayList<>();
        for (int i = 0; i < times; i++) {
            made.add(pipeline.callAsync(() -> {
                bodies.incrementAndGet();
                return outage
                        ? CompletableFuture.failedFuture(new ConnectException("Connection refused"))
                        : CompletableFuture.completedFuture("paid");
            }));
        }
        return made;
    }

    /** In lines of their own and in summaries together. */
    private long counted(String event, String key) {
        long lines = 0;
        for (ILoggingEvent line : log.events()) {
            if (pairsOf(line).get("event").equals(event)) {
                lines++;
            } else if (pairsOf(line).get("event").equals("retry_summary")) {
                lines += (long) pairsOf(line).get(key);
            }
        }
        return lines;
    }

    private long of(RetryOutcome outcome) {
        return retry.calls().get(outcome);
    }
}
