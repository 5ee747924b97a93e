package dev.resilience.spring.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.LongStream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three processes make 10,000 calls a second under a limit of 5,000: what they are given, against what is promised, in every window. One
 * is killed, and the store stands still or is stopped.
 */
public abstract class LimitAcrossProcesses {

    /** The server's port, or its URL, behind its type. */
    protected abstract String store();

    /** The processes of the server. */
    protected abstract List<ProcessHandle> server();

    /** Ends the server. */
    protected abstract void stop() throws Exception;

    protected abstract void start() throws Exception;

    /** Whether a server that was stopped and started again has forgotten all permits. */
    protected abstract boolean forgets();

    @Test
    void oneIsKilledAndTheStoreStandsStill(@TempDir Path directory) throws Exception {
        run(directory, Duration.ofSeconds(2), Duration.ofSeconds(2), false);
    }

    @Test
    @Tag("long")
    void oneIsKilledAndTheStoreStandsStillForTenSeconds(@TempDir Path directory) throws Exception {
        run(directory, Duration.ofSeconds(10), Duration.ofSeconds(10), false);
    }

    @Test
    @Tag("long")
    void oneIsKilledAndTheStoreIsStoppedForTenSeconds(@TempDir Path directory) throws Exception {
        run(directory, Duration.ofSeconds(10), Duration.ofSeconds(10), true);
    }

    private void run(Path directory, Duration phase, Duration outage, boolean isStopped) throws Exception {
        List<LimitedProcess> processes = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                processes.add(new LimitedProcess(directory, store()));
            }
            await(() -> processes.stream().allMatch(LimitedProcess::isReady));
            for (LimitedProcess process : processes) {
                process.begin();
            }
            await(() -> processes.stream().allMatch(LimitedProcess::hasPermits));
            long begin = System.nanoTime();
            pass(phase);
            processes.get(0).kill();
            long killed = System.nanoTime();
            pass(phase);
            long down = System.nanoTime();
            if (isStopped) {
                stop();
            } else {
                signal("STOP");
            }
            pass(outage);
            if (isStopped) {
                start();
            } else {
                signal("CONT");
            }
            long up = System.nanoTime();
            pass(phase);
            long end = System.nanoTime();
            List<long[]> permits = new ArrayList<>();
            for (LimitedProcess process : processes) {
                permits.add(process.permits());
            }
            long[] given =
                    permits.stream().flatMapToLong(Arrays::stream).sorted().toArray();
            String report = "before the kill " + rate(given, begin, killed) + "/s, after it "
                    + rate(given, killed, down)
                    + "/s, store down " + rate(given, down, up) + "/s, store back " + rate(given, up, end) + "/s; "
                    + given.length + " given, promised "
                    + (long) (LimitedProcess.BURST
                            + LimitedProcess.PERMITS * ((given[given.length - 1] - given[0]) / 1e9))
                    + "; most above the rate in any window " + (long) mostAboveRate(given) + " of "
                    + LimitedProcess.BURST;
            System.out.println(getClass().getSimpleName() + (isStopped ? " stopped: " : " still: ") + report);
            // a thread that stands still between its permit and its look at the clock, for a fifth of a second at most
            int late = LimitedProcess.PERMITS / 5;
            // a process whose driver finds the server later than the others' has its part until then
            int later = isStopped ? LimitedProcess.PERMITS : 0;
            int forgotten = isStopped && forgets() ? LimitedProcess.BURST : 0;
            int bend = LimitedProcess.BURST / 10 + late + later + forgotten;
            assertThat(mostAboveRate(given)).as(report).isLessThanOrEqualTo(LimitedProcess.BURST + bend);
            assertThat(rate(given, begin, killed)).as(report).isPositive();
            assertThat(rate(given, up, end)).as(report).isPositive();
        } finally {
            processes.forEach(LimitedProcess::close);
            if (!isStopped) {
                signal("CONT");
            }
        }
    }

    private static void await(Callable<Boolean> condition) {
        Awaitility.await().atMost(Duration.ofMinutes(2)).until(condition);
    }

    private static void pass(Duration time) throws InterruptedException {
        Thread.sleep(time.toMillis()); // other processes live meanwhile
    }

    private static long rate(long[] given, long from, long to) {
        return (long) (LongStream.of(given).filter(at -> at >= from && at < to).count() / ((to - from) / 1e9));
    }

    /** How many calls more than {@code t · permits} the worst window has. */
    private static double mostAboveRate(long[] given) {
        double level = 0;
        double most = 0;
        for (int i = 0; i < given.length; i++) {
            double back = i == 0 ? 0 : (given[i] - given[i - 1]) / 1e9 * LimitedProcess.PERMITS;
            level = Math.max(0, level - back) + 1;
            most = Math.max(most, level);
        }
        return most;
    }

    private void signal(String name) throws IOException, InterruptedException {
        for (ProcessHandle process : server()) {
            new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .start()
                    .waitFor();
        }
    }
}
