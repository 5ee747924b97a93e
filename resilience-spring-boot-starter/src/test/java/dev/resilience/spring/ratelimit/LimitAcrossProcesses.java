package dev.resilience.spring.ratelimit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.ratelimit.LimitedProcess.Call;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.Callable;
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
            for (int i = 0; i < LimitedProcess.PROCESSES; i++) {
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
            List<Call> given = new ArrayList<>();
            for (LimitedProcess process : processes) {
                given.addAll(process.permits());
            }
            given.sort(Comparator.comparingLong(Call::begin));
            int burst = smallestBurst(given);
            String report = "before the kill " + rate(given, begin, killed) + "/s, after it "
                    + rate(given, killed, down)
                    + "/s, store down " + rate(given, down, up) + "/s, store back " + rate(given, up, end) + "/s; "
                    + given.size() + " given, most above the rate in any window " + burst + " of "
                    + LimitedProcess.BURST;
            System.out.println(getClass().getSimpleName() + (isStopped ? " stopped: " : " still: ") + report);
            // a process whose driver finds the server later than the others' has its part until then
            int later = isStopped ? LimitedProcess.PERMITS : 0;
            int forgotten = isStopped && forgets() ? LimitedProcess.BURST : 0;
            int promised = LimitedProcess.BURST + LimitedProcess.BURST / 10;
            assertThat(burst).as(report).isLessThanOrEqualTo(promised + later + forgotten);
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

    private static long rate(List<Call> given, long from, long to) {
        return (long) (given.stream()
                        .filter(call -> call.end() >= from && call.end() < to)
                        .count()
                / ((to - from) / 1e9));
    }

    /** The smallest burst by which all of them could have got their permits, each at a moment of its own between begin and end. */
    private static int smallestBurst(List<Call> given) {
        int tooSmall = 0;
        int enough = given.size();
        while (enough - tooSmall > 1) {
            int burst = (tooSmall + enough) / 2;
            if (suffices(burst, given)) {
                enough = burst;
            } else {
                tooSmall = burst;
            }
        }
        return enough;
    }

    /** Gives each permit as soon as there is one, first to the call that ends first. */
    private static boolean suffices(int burst, List<Call> given) {
        double interval = 1e9 / LimitedProcess.PERMITS;
        double back = given.get(0).begin(); // when all permits are
        double now = back;
        PriorityQueue<Long> ends = new PriorityQueue<>();
        for (int i = 0; i <= given.size(); i++) {
            double next = i < given.size() ? given.get(i).begin() : Double.MAX_VALUE;
            while (!ends.isEmpty() && Math.max(now, back - (burst - 1) * interval) < next) {
                now = Math.max(now, back - (burst - 1) * interval);
                back = Math.max(back, now) + interval;
                if (now > ends.remove()) {
                    return false;
                }
            }
            if (i < given.size()) {
                ends.add(given.get(i).end());
                now = next;
            }
        }
        return true;
    }

    private void signal(String name) throws IOException, InterruptedException {
        for (ProcessHandle process : server()) {
            new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                    .start()
                    .waitFor();
        }
    }
}
