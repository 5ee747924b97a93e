package dev.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.event.CapturedLog;
import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.idempotency.OneKey;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Retry;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.lang.reflect.Proxy;
import java.net.ConnectException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/**
 * What an outage of a minute leaves in the log, counted by the second: one line of an event, and where a policy goes on being hit
 * one line in all after the first of each event.
 */
@Timeout(120)
class LoggedOutageTests {

    private static final int MINUTE = 60;

    private static final Set<String> TRANSITIONS = Set.of("circuit_opened", "circuit_half_open", "circuit_closed");

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();
    private final Logger logger = (Logger) LoggerFactory.getLogger("dev.resilience");
    private final Logger ofRetries = (Logger) LoggerFactory.getLogger(Retry.class);
    private final Level before = logger.getLevel();
    private final List<Line> lines = new ArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            Map<String, Object> pairs = CapturedLog.pairsOf(event);
            lines.add(new Line(
                    time.elapsed().toSeconds(),
                    String.valueOf(pairs.get("policy")),
                    String.valueOf(pairs.get("event")),
                    event.getFormattedMessage()));
        }
    };

    private record Line(long second, String policy, String event, String message) {

        List<Object> secondAndPolicy() {
            return List.of(second, policy);
        }

        List<Object> secondPolicyAndEvent() {
            return List.of(second, policy, event);
        }
    }

    @BeforeEach
    void listen() {
        logger.setLevel(Level.INFO);
        ofRetries.setLevel(Level.INFO); // which the tests' configuration switches off
        logger.setAdditive(false);
        logger.addAppender(appender);
        appender.start();
    }

    @AfterEach
    void stopListening() {
        logger.detachAppender(appender);
        logger.setAdditive(true);
        logger.setLevel(before);
        ofRetries.setLevel(Level.OFF);
        resilience.close();
    }

    @Test
    void anOutageWritesOneLineASecondAndPolicyBesideTheFirstOfEachEvent() {
        List<Supplier<CompletableFuture<?>>> calls = List.of(
                failing(resilience.pipeline("retry").retry(RetryPolicy.defaults())),
                failing(resilience.pipeline("breaker").circuitBreaker(CircuitBreakerPolicy.defaults())),
                hanging(resilience.pipeline("bulkhead").bulkhead(bulkhead(10, 50))),
                hanging(resilience
                        .pipeline("limit")
                        .timeLimit(TimeLimitPolicy.builder()
                                .timeout(Duration.ofMillis(500))
                                .build())),
                failing(resilience.pipeline("fallback").fallback(failure -> "answer")),
                failing(resilience
                        .pipeline("idempotent")
                        .idempotent(
                                resilience.idempotency("idempotent", IdempotencyPolicy.defaults(), storeThatIsDown()),
                                new OneKey())));
        Supplier<CompletableFuture<?>> throughAll = failing(resilience
                .pipeline("all")
                .fallback(failure -> "answer")
                .bulkhead(bulkhead(10, 50))
                .circuitBreaker(CircuitBreakerPolicy.defaults())
                .retry(RetryPolicy.defaults())
                .timeLimit(TimeLimitPolicy.defaults()));

        for (int call = 0; call < MINUTE * 1_000; call++) {
            make(throughAll);
            if (call % 10 == 9) {
                calls.forEach(LoggedOutageTests::make);
                time.advance(Duration.ofMillis(10));
            }
        }

        assertThat(lines.stream().map(Line::event))
                .contains("retry_attempt", "retry_exhausted", "retry_budget_exhausted", "circuit_opened")
                .contains("circuit_rejected", "bulkhead_rejected", "bulkhead_timed_out", "time_limit_exceeded")
                .contains("fallback_answered", "idempotency_store_failed");
        assertThat(bySecond(lines.stream(), Line::secondPolicyAndEvent)).isEmpty();
        assertThat(bySecond(
                        afterTheFirstOfEachEvent().filter(line -> !line.policy.equals("all")), Line::secondAndPolicy))
                .isEmpty();
    }

    private static void make(Supplier<?> call) {
        Object ignored = call.get();
    }

    @Test
    void aQuietServiceWritesNoMoreThanABusyOne() {
        Supplier<CompletableFuture<?>> refused =
                hanging(resilience.pipeline("bulkhead").bulkhead(bulkhead(1, 0)));
        make(refused);

        for (int call = 0; call < MINUTE * 9; call++) {
            make(refused);
            time.advance(Duration.ofSeconds(1).dividedBy(9));
        }

        assertThat(lines).hasSizeBetween(MINUTE - 1, MINUTE + 1);
        assertThat(bySecond(afterTheFirstOfEachEvent(), Line::secondAndPolicy)).isEmpty();
    }

    private Stream<Line> afterTheFirstOfEachEvent() {
        Set<String> known = new HashSet<>();
        return lines.stream().filter(line -> line.event.endsWith("_summary") || !known.add(line.policy + line.event));
    }

    /** Where there is more than one. A circuit breaker's own state is always reported. */
    private static List<List<Line>> bySecond(Stream<Line> lines, Function<Line, List<Object>> place) {
        return lines
                .filter(line -> !TRANSITIONS.contains(line.event))
                .collect(Collectors.groupingBy(place))
                .values()
                .stream()
                .filter(inSecond -> inSecond.size() > 1)
                .toList();
    }

    private static BulkheadPolicy bulkhead(int running, int queued) {
        return BulkheadPolicy.builder()
                .maxConcurrent(running)
                .maxQueue(queued)
                .queueTimeout(Duration.ofSeconds(1))
                .build();
    }

    private static Supplier<CompletableFuture<?>> failing(PipelineBuilder builder) {
        return calls(
                builder,
                pipeline -> pipeline.callAsync(
                        () -> CompletableFuture.failedFuture(new ConnectException("Connection refused"))));
    }

    private static Supplier<CompletableFuture<?>> hanging(PipelineBuilder builder) {
        return calls(builder, pipeline -> pipeline.callAsync(CompletableFuture::new));
    }

    private static Supplier<CompletableFuture<?>> calls(
            PipelineBuilder builder, Function<Pipeline, CompletableFuture<?>> call) {
        Pipeline pipeline = builder.build();
        return () -> call.apply(pipeline);
    }

    private static IdempotencyStore storeThatIsDown() {
        return (IdempotencyStore) Proxy.newProxyInstance(
                LoggedOutageTests.class.getClassLoader(),
                new Class<?>[] {IdempotencyStore.class},
                (proxy, method, a) -> {
                    throw new IllegalStateException("down");
                });
    }
}
