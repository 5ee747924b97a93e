package dev.resilience.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.Resilience;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.circuitbreaker.CircuitBreakerPolicy;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.ManualTimeSource;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FlightRecordsTests {

    @TempDir
    Path directory;

    private final ManualTimeSource time = new ManualTimeSource();
    private final Resilience resilience = Resilience.builder().timeSource(time).build();

    private interface Action {
        void run() throws Exception;
    }

    private List<RecordedEvent> recorded(Recording recording, Action action) throws Exception {
        Path file = directory.resolve("recording.jfr");
        try (recording) {
            recording.start();
            action.run();
            recording.stop();
            recording.dump(file);
        }
        return read(file);
    }

    private static List<RecordedEvent> read(Path file) throws IOException {
        List<RecordedEvent> all = RecordingFile.readAllEvents(file);
        Files.delete(file);
        return all.stream()
                .filter(event -> event.getEventType().getName().startsWith("resilience."))
                .toList();
    }

    private static String text(RecordedEvent event) {
        return event.getEventType().getName() + " " + event.getString("kind") + " " + event.getString("policy") + " "
                + event.getString("detail");
    }

    private void retry() {
        AtomicInteger calls = new AtomicInteger();
        resilience
                .pipeline("test")
                .retry(resilience.retry("payments", RetryPolicy.defaults()))
                .build()
                .<Object, RuntimeException>call(() -> {
                    if (calls.incrementAndGet() == 1) {
                        throw sneaky(new ConnectException("refused"));
                    }
                    return "paid";
                });
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> RuntimeException sneaky(Throwable thrown) throws T {
        throw (T) thrown;
    }

    @Test
    void theWaitBeforeARetryIsRecordedWithItsLength() throws Exception {
        List<RecordedEvent> events = recorded(new Recording(), this::retry);

        assertThat(events)
                .extracting(FlightRecordsTests::text)
                .containsExactly("resilience.Wait retry payments wait for attempt 2 after java.net.ConnectException");
        assertThat(events.get(0).getDuration("length")).isEqualTo(time.elapsed());
        assertThat(events.get(0).getEventType().getCategoryNames()).containsExactly("Resilience");
        assertThat(events.get(0).getStackTrace()).isNull();
        assertThat(events.get(0).getThread().getJavaName())
                .isEqualTo(Thread.currentThread().getName());
    }

    @Test
    void transitionsAndRefusalsAreRecorded() throws Exception {
        var breaker = resilience.circuitBreaker("gateway", CircuitBreakerPolicy.defaults());
        var pipeline = resilience.pipeline("test").circuitBreaker(breaker).build();

        List<RecordedEvent> events = recorded(new Recording(), () -> {
            breaker.forceOpen();
            assertThatThrownBy(() -> pipeline.call(() -> "answer")).isInstanceOf(CircuitOpenException.class);
        });

        assertThat(events)
                .extracting(FlightRecordsTests::text)
                .containsExactly(
                        "resilience.Transition circuit-breaker gateway closed to forced_open",
                        "resilience.Refusal circuit-breaker gateway rejected");
    }

    @Test
    void aWaitInAQueueAndATimeLimitAreRecorded() throws Exception {
        var bulkhead = resilience
                .pipeline("test")
                .bulkhead(resilience.bulkhead(
                        "queue",
                        BulkheadPolicy.builder()
                                .maxConcurrent(1)
                                .maxQueue(1)
                                .queueTimeout(Duration.ofSeconds(3))
                                .build()))
                .build();
        var limit = resilience
                .pipeline("test")
                .timeLimit(resilience.timeLimit(
                        "limit",
                        TimeLimitPolicy.builder().timeout(Duration.ofSeconds(5)).build()))
                .build();

        List<RecordedEvent> events = recorded(new Recording(), () -> {
            bulkhead.callAsync(CompletableFuture::new);
            bulkhead.callAsync(CompletableFuture::new);
            limit.callAsync(CompletableFuture::new);
            time.advance(Duration.ofSeconds(5));
        });

        assertThat(events)
                .extracting(FlightRecordsTests::text)
                .containsExactly(
                        "resilience.Wait bulkhead queue waited, timed_out",
                        "resilience.Refusal bulkhead queue timed_out",
                        "resilience.Refusal time-limit limit timed_out");
        assertThat(events.get(0).getDuration("length")).isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void settingsOfARecordingSwitchThemOff() throws Exception {
        Recording recording = new Recording();
        recording.disable("resilience.Wait");

        assertThat(recorded(recording, this::retry)).isEmpty();
    }
}
