package dev.resilience.spring.benchmark;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.function.IntFunction;
import javax.management.JMException;
import javax.management.ObjectName;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * How many bytes of the heap a call holds that waits without a thread, and how many threads all of them together.
 *
 * <p>Each run is a process of its own. It makes a tenth as many calls first, which load classes and start threads, and then
 * counts what the others leave on the heap after a full collection. All libraries call the same method, whose future,
 * already failed, is made anew by each attempt and is theirs to keep or to drop. The array that holds what they hand out
 * is there before; what they hand out is counted.
 */
@BenchmarkMode(Mode.SingleShotTime)
@Warmup(iterations = 0)
@Measurement(iterations = 1)
@Fork(
        value = 3,
        jvmArgs = {"-Xmx1g", "-XX:+UseSerialGC"})
public abstract class WaitingCalls {

    /** Prints who the bytes are. */
    private static final boolean PRINTS_HISTOGRAM = Boolean.getBoolean("histogram");

    /** What is counted. */
    @AuxCounters(AuxCounters.Type.EVENTS)
    @State(Scope.Thread)
    public static class Held {

        public double bytesPerCall;
        public double threads;

        /**
         * Makes calls that wait.
         *
         * @param call makes one and returns what its caller holds; calls are numbered from zero
         */
        Object[] by(int calls, IntFunction<Object> call) {
            Object[] handedOut = new Object[calls + calls / 10];
            Arrays.setAll(handedOut, i -> i < calls / 10 ? call.apply(i) : null);
            long before = usedBytes();
            for (int i = calls / 10; i < handedOut.length; i++) {
                handedOut[i] = call.apply(i);
            }
            bytesPerCall = (double) (usedBytes() - before) / calls;
            threads = ManagementFactory.getThreadMXBean().getThreadCount();
            if (PRINTS_HISTOGRAM) {
                printHistogram();
            }
            return handedOut;
        }
    }

    private static long usedBytes() {
        System.gc();
        System.gc();
        return ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
    }

    private static void printHistogram() {
        try {
            Object histogram = ManagementFactory.getPlatformMBeanServer()
                    .invoke(
                            new ObjectName("com.sun.management:type=DiagnosticCommand"),
                            "gcClassHistogram",
                            new Object[] {null},
                            new String[] {String[].class.getName()});
            histogram.toString().lines().limit(30).forEach(System.out::println);
        } catch (JMException noHotSpot) {
            throw new IllegalStateException(noHotSpot);
        }
    }
}
