package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import io.micrometer.context.ContextExecutorService;
import io.micrometer.context.ContextSnapshotFactory;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With Micrometer's context propagation as an application uses it: nothing is registered by hand. */
class CallContextAccessorTests {

    private final CallContext context =
            new CallContext(Deadline.in(Duration.ofMinutes(1)), Attempt.of("a caller", 2, null));
    private final ExecutorService threads = Executors.newSingleThreadExecutor();
    private final ExecutorService propagating = ContextExecutorService.wrap(
            threads, ContextSnapshotFactory.builder().build());

    @AfterEach
    void stop() {
        threads.shutdownNow();
        CallContext.NONE.makeCurrent();
    }

    @Test
    void theContextOfACallGoesToOtherThreadsAndDoesNotStayThere() throws Exception {
        context.makeCurrent();

        assertThat(propagating.submit(CallContext::current).get()).isEqualTo(context);
        assertThat(threads.submit(CallContext::current).get()).isEqualTo(CallContext.NONE);
    }

    @Test
    void whereThereIsNoneNothingIsTaken() {
        assertThat(new CallContextAccessor().getValue()).isNull();
        context.makeCurrent();
        assertThat(new CallContextAccessor().getValue()).isEqualTo(context);
    }

    @Test
    void whereThereIsNoneNoneGoes() throws Exception {
        assertThat(propagating.submit(CallContext::current).get()).isEqualTo(CallContext.NONE);
    }
}
