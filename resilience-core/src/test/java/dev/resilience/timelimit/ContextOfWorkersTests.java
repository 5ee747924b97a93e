package dev.resilience.timelimit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.context.ContextCarrier;
import dev.resilience.timelimit.TimeLimitPolicy.RunsOn;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.MDC;

class ContextOfWorkersTests {

    private final List<String> carried = Collections.synchronizedList(new ArrayList<>());
    private final ContextCarrier recording = task -> {
        carried.add("taken");
        return () -> {
            carried.add("put");
            try {
                task.run();
            } finally {
                carried.add("restored");
            }
        };
    };
    private final TestTimeLimit calls =
            new TestTimeLimit(RunsOn.WORKER, 1, ContextCarrier.standard().and(recording));
    private final ClassLoader loader = Thread.currentThread().getContextClassLoader();

    @AfterEach
    void clear() {
        MDC.clear();
        Thread.currentThread().setContextClassLoader(loader);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMdcTravelsAndIsClearedAfterwards(boolean asynchronous) throws Exception {
        MDC.put("order", "42");
        assertThat(call(asynchronous, () -> MDC.get("order"))).isEqualTo("42");
        call(asynchronous, () -> {
            MDC.put("order", "of the body");
            return "";
        });
        assertThat(MDC.get("order")).isEqualTo("42");

        MDC.clear();

        assertThat(call(asynchronous, () -> MDC.get("order"))).isNull();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theContextClassLoaderTravels(boolean asynchronous) throws Exception {
        try (URLClassLoader own = new URLClassLoader(new URL[0], loader)) {
            Thread.currentThread().setContextClassLoader(own);

            assertThat(call(asynchronous, () -> Thread.currentThread().getContextClassLoader()))
                    .isSameAs(own);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void whatElseIsCarriedIsPutBackThoughTheBodyThrows(boolean asynchronous) {
        assertThatThrownBy(() -> call(asynchronous, () -> {
                    carried.add("body");
                    throw new IllegalStateException("of the body");
                }))
                .hasStackTraceContaining("of the body");

        TestTimeLimit.soon(() -> carried.size() == 4);
        assertThat(carried).containsExactly("taken", "put", "body", "restored");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCarrierThatCannotPutItsContextInPlaceFailsTheCall(boolean asynchronous) {
        TestTimeLimit broken = new TestTimeLimit(RunsOn.WORKER, 1, task -> () -> {
            throw new IllegalStateException("of the carrier");
        });

        assertThatThrownBy(() -> call(broken, asynchronous, () -> "never")).hasStackTraceContaining("of the carrier");
        TestTimeLimit.soon(() -> broken.limit.workers() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCarrierThatCannotTakeItsContextFailsTheCall(boolean asynchronous) {
        TestTimeLimit broken = new TestTimeLimit(RunsOn.WORKER, 1, task -> {
            throw new IllegalStateException("of the carrier");
        });

        assertThatThrownBy(() -> call(broken, asynchronous, () -> "never")).hasStackTraceContaining("of the carrier");
        assertThat(broken.limit.workers()).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCarrierThatRunsNothingFailsTheCall(boolean asynchronous) {
        TestTimeLimit broken = new TestTimeLimit(RunsOn.WORKER, 1, task -> () -> {});

        assertThatThrownBy(() -> call(broken, asynchronous, () -> "never"))
                .hasStackTraceContaining("did not run the task");
        TestTimeLimit.soon(() -> broken.limit.workers() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCarrierThatCannotTakeItsContextBackChangesNothing(boolean asynchronous) throws Exception {
        TestTimeLimit broken = new TestTimeLimit(RunsOn.WORKER, 1, task -> () -> {
            task.run();
            throw new IllegalStateException("of the carrier");
        });

        assertThat(call(broken, asynchronous, () -> "the result")).isEqualTo("the result");
        TestTimeLimit.soon(() -> broken.limit.workers() == 0);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void aCarrierThatRunsItsTaskTwiceRunsTheBodyOnce(boolean asynchronous) throws Exception {
        TestTimeLimit broken = new TestTimeLimit(RunsOn.WORKER, 1, task -> () -> {
            task.run();
            task.run();
        });
        AtomicInteger runs = new AtomicInteger();

        assertThat(call(broken, asynchronous, runs::incrementAndGet)).isEqualTo(1);

        TestTimeLimit.soon(() -> broken.limit.workers() == 0);
        assertThat(runs).hasValue(1);
        broken.assertCounted(1, 0);
    }

    /** The stage is there and will end later, when what was taken along cannot be taken back. */
    @Test
    void aCarrierThatCannotTakeItsContextBackDoesNotEndTheAnswer() {
        TestTimeLimit broken = new TestTimeLimit(RunsOn.WORKER, 1, task -> () -> {
            task.run();
            throw new IllegalStateException("of the carrier");
        });
        CompletableFuture<String> stage = new CompletableFuture<>();
        CountDownLatch begun = new CountDownLatch(1);
        CompletableFuture<String> answer = broken.pipeline.callAsync(() -> {
            begun.countDown();
            return stage;
        });
        TestTimeLimit.deaf(begun);
        TestTimeLimit.soon(() -> broken.limit.workers() == 0);

        stage.complete("the result");

        assertThat(answer).succeedsWithin(Duration.ofSeconds(30)).isEqualTo("the result");
    }

    private <T> T call(boolean asynchronous, Callable<T> body) throws Exception {
        return call(calls, asynchronous, body);
    }

    private static <T> T call(TestTimeLimit through, boolean asynchronous, Callable<T> body) throws Exception {
        if (!asynchronous) {
            return through.pipeline.call(body::call);
        }
        CompletableFuture<T> answer = through.pipeline.callAsync(() -> {
            try {
                return CompletableFuture.completedFuture(body.call());
            } catch (Exception failure) {
                return CompletableFuture.failedFuture(failure);
            }
        });
        return answer.get(30, TimeUnit.SECONDS);
    }
}
