package dev.resilience.bulkhead;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.resilience.pipeline.Pipeline;
import dev.resilience.policy.InvalidPolicyException;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledForJreRange;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

class VirtualThreadPoolTests {

    private static BulkheadPolicy.Builder policy() {
        return BulkheadPolicy.builder()
                .type(BulkheadPolicy.Type.THREAD_POOL)
                .maxConcurrent(2)
                .virtualThreads(true);
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void runsEveryCallOnAVirtualThreadOfItsOwn() throws Exception {
        Pipeline pipeline = Pipeline.of(Bulkhead.of("orders", policy().build()));
        Callable<String> thread = () -> Thread.currentThread().toString();

        String first = pipeline.call(thread);
        String second = pipeline.call(thread);

        assertThat(first).contains("VirtualThread").contains("resilience-bulkhead-orders-1");
        assertThat(second).contains("VirtualThread").contains("resilience-bulkhead-orders-2");
    }

    @Test
    @EnabledForJreRange(min = JRE.JAVA_21)
    void mayBeginToWhileItRuns() throws Exception {
        Bulkhead bulkhead = Bulkhead.of("orders", policy().virtualThreads(false).build());
        Callable<String> thread = () -> Thread.currentThread().toString();
        assertThat(Pipeline.of(bulkhead).call(thread)).doesNotContain("VirtualThread");

        bulkhead.reconfigure(policy().build());

        assertThat(Pipeline.of(bulkhead).call(thread)).contains("VirtualThread");
    }

    @Test
    @DisabledForJreRange(min = JRE.JAVA_21)
    void doesNotExistBelowJava21() {
        assertThatExceptionOfType(InvalidPolicyException.class)
                .isThrownBy(() -> policy().build())
                .withMessageContaining("virtual-threads")
                .withMessageContaining("needs Java 21 or later, and this is Java "
                        + Runtime.version().feature());
    }
}
