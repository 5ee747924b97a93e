package dev.resilience.hedge;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import dev.resilience.pipeline.Invocation;
import dev.resilience.pipeline.Pipeline;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.api.Test;

class HedgeAllocationTests {

    private static final int CALLS = 100_000;

    private final ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    @Test
    void aCallThatCannotBeHedgedLeavesLittleGarbage() throws Throwable {
        assertThat(bytesPerCall(new TestHedge().pipeline)).isLessThan(256);
        assertThat(bytesPerCall(new TestHedge(HedgePolicy.defaults()).measured().pipeline))
                .isLessThan(256);
    }

    /** It costs a timer, and what its second attempt would need of the caller's thread. */
    @Test
    void aFastCallLeavesAKilobyte() throws Throwable {
        double bytes = bytesPerCall(new TestHedge().measured().pipeline);
        System.out.println("bytes of a fast call: " + bytes);

        assertThat(bytes).isLessThan(1_024);
    }

    private double bytesPerCall(Pipeline pipeline) throws Throwable {
        Invocation body = () -> "result";
        repeat(pipeline, body);
        long before = threads.getCurrentThreadAllocatedBytes();
        repeat(pipeline, body);
        return (double) (threads.getCurrentThreadAllocatedBytes() - before) / CALLS;
    }

    private static void repeat(Pipeline pipeline, Invocation body) throws Throwable {
        for (int i = 0; i < CALLS; i++) {
            pipeline.invoke(body);
        }
    }
}
