package dev.resilience.spring.observation;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.time.ManualTimeSource;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.tracing.handler.DefaultTracingObservationHandler;
import io.micrometer.tracing.otel.bridge.OtelCurrentTraceContext;
import io.micrometer.tracing.otel.bridge.OtelTracer;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.sdk.testing.exporter.InMemorySpanExporter;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.EventData;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.SimpleSpanProcessor;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;

/** What a backend gets of a call, by OpenTelemetry's own SDK. */
class TracesTests {

    private final InMemorySpanExporter exporter = InMemorySpanExporter.create();
    private final SdkTracerProvider sdk = SdkTracerProvider.builder()
            .addSpanProcessor(SimpleSpanProcessor.create(exporter))
            .build();
    private final ObservationRegistry registry = ObservationRegistry.create();

    TracesTests() {
        OtelTracer tracer = new OtelTracer(sdk.get("test"), new OtelCurrentTraceContext(), event -> {});
        registry.observationConfig().observationHandler(new DefaultTracingObservationHandler(tracer));
    }

    @AfterEach
    void close() {
        sdk.close();
    }

    private void with(Applications.Use<Shop> use) {
        Applications.plain(Shop.class)
                .withBean(ObservationRegistry.class, () -> registry)
                .run(context -> use.with(context.getBean(Shop.class), context.getBean(Callee.class)));
    }

    private SpanData span(String name) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError(exporter.getFinishedSpanItems()));
    }

    private List<SpanData> childrenOf(SpanData parent) {
        return exporter.getFinishedSpanItems().stream()
                .filter(span -> span.getParentSpanId().equals(parent.getSpanId()))
                .toList();
    }

    private static String attribute(SpanData span, String key) {
        return span.getAttributes().get(AttributeKey.stringKey(key));
    }

    @Test
    void aSpanHasTheAttemptsAndWhatTheyCallIsBelowIt() {
        with((shop, callee) -> {
            callee.failNext(2);
            Observation.createNotStarted("request", registry).observeChecked(shop::buy);

            SpanData call = span("Shop.buy");
            assertThat(call.getParentSpanId()).isEqualTo(span("request").getSpanId());
            assertThat(childrenOf(call)).extracting(SpanData::getName).containsExactly("charge", "charge", "charge");
            assertThat(call.getEvents())
                    .extracting(EventData::getName)
                    .containsExactly(
                            "attempt 1",
                            "retry three: wait for attempt 2 after java.net.ConnectException",
                            "attempt 2",
                            "retry three: wait for attempt 3 after java.net.ConnectException",
                            "attempt 3");
            assertThat(attribute(call, "attempts")).isEqualTo("3");
            assertThat(attribute(call, "outcome")).isEqualTo("success");
            assertThat(attribute(call, "code.function.name")).isEqualTo(Shop.class.getName() + ".buy");
            assertThat(attribute(call, "error.type")).isNull();
        });
    }

    @Test
    void laterAttemptsOfAFutureAreBelowTheSameSpan() {
        with((shop, callee) -> {
            callee.failNext(3);
            CompletableFuture<String> call = shop.later();
            shop.time().advance(Duration.ofSeconds(10));

            assertThat(call).isCompletedExceptionally();
            SpanData span = span("Shop.later");
            assertThat(childrenOf(span)).hasSize(3);
            assertThat(attribute(span, "error.type")).isEqualTo("java.net.ConnectException");
            assertThat(span.getEvents()).extracting(EventData::getName).contains("exception");
        });
    }

    static class Shop {

        @Autowired
        private Callee callee;

        @Autowired
        private ObservationRegistry registry;

        @Autowired
        private ManualTimeSource time;

        ManualTimeSource time() {
            return time;
        }

        @Retryable("three")
        public String buy() throws ConnectException {
            return Observation.createNotStarted("charge", registry).observeChecked(callee::call);
        }

        @Retryable("three")
        public CompletableFuture<String> later() {
            return Observation.createNotStarted("charge", registry).observe(callee::callAsync);
        }
    }
}
