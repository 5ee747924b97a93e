package dev.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.core.Appender;
import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.pipeline.Pipeline;
import dev.resilience.retry.Backoff;
import dev.resilience.retry.RetryPolicy;
import dev.resilience.time.WorkerThreads;
import dev.resilience.timelimit.TimeLimitPolicy;
import java.net.ConnectException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/**
 * A real process in which no more threads can be started: its address space is limited, and each thread's stack takes a
 * large part of it, so that neither rights nor a machine of one's own are needed. Without retries where they run on virtual
 * threads: a JDK that has no thread for these may lose them.
 */
@Timeout(120)
@EnabledOnOs(OS.LINUX)
class ProcessWithoutThreadsTests {

    private static final int CALLS = 300;
    private static final Duration DELAY = Duration.ofSeconds(3);

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 20})
    void allThatIsDueIsDone(int threadsLeft) throws Exception {
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process process = new ProcessBuilder(
                        "bash",
                        "-c",
                        "ulimit -v 33554432 && exec \"$@\"",
                        "limited",
                        java,
                        "-Xlog:disable",
                        "-Xss512m",
                        "-Xmx64m",
                        "-XX:+UseSerialGC",
                        "-XX:TieredStopAtLevel=1",
                        "-XX:CompressedClassSpaceSize=64m",
                        "-XX:ReservedCodeCacheSize=64m",
                        "-cp",
                        classPath(),
                        Child.class.getName(),
                        String.valueOf(threadsLeft))
                .redirectErrorStream(true)
                .start();
        process.getOutputStream().close();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertThat(process.waitFor()).as(output).isZero();
        assertThat(output)
                .contains("time limits: 300, queue timeouts: 300, running: 0, queued: 0")
                .contains(WorkerThreads.canBeVirtual() ? "retries: 0" : "retries: 300")
                .containsOnlyOnce("event=\"no_thread\"");
    }

    private static String classPath() {
        return Stream.of(Child.class, Resilience.class, LoggerFactory.class, Logger.class, Appender.class)
                .map(type ->
                        type.getProtectionDomain().getCodeSource().getLocation().getPath())
                .collect(Collectors.joining(":"));
    }

    /** Fails where a call does not end, because the process then never does, or a permit is not given back. */
    static final class Child {

        private final CountDownLatch end = new CountDownLatch(1);
        private final List<Thread> eaters = new ArrayList<>();

        public static void main(String[] args) throws Exception {
            new Child().run(Integer.parseInt(args[0]));
        }

        private void run(int threadsLeft) throws Exception {
            Resilience resilience = Resilience.create();
            Bulkhead wide = resilience.bulkhead("wide", bulkhead(CALLS, 0));
            Bulkhead narrow = resilience.bulkhead("narrow", bulkhead(1, CALLS));
            Pipeline limited = resilience
                    .pipeline("limited")
                    .bulkhead(wide)
                    .timeLimit(TimeLimitPolicy.builder().timeout(DELAY).build())
                    .build();
            Pipeline queued = resilience.pipeline("queued").bulkhead(narrow).build();
            Pipeline retried = resilience
                    .pipeline("retried")
                    .retry(RetryPolicy.builder()
                            .backoff(Backoff.fixed(DELAY))
                            .maxAttempts(2)
                            .budget("none")
                            .build())
                    .build();
            CompletableFuture<String> first = queued.callAsync(CompletableFuture::new);
            List<CompletableFuture<?>> timeLimits = new ArrayList<>();
            List<CompletableFuture<?>> queueTimeouts = new ArrayList<>();
            List<CompletableFuture<?>> retries = new ArrayList<>();
            for (int i = 0; i < CALLS; i++) {
                timeLimits.add(limited.callAsync(CompletableFuture::new));
                queueTimeouts.add(queued.callAsync(CompletableFuture::new));
                if (!WorkerThreads.canBeVirtual()) {
                    retries.add(retried.callAsync(Child::refused));
                }
            }
            eatThreads();
            for (int i = 0; i < threadsLeft; i++) {
                eaters.get(i).interrupt();
                eaters.get(i).join();
            }
            int limits = failed(timeLimits);
            int timeouts = failed(queueTimeouts);
            int repeated = failed(retries);
            first.cancel(true);
            System.out.println(String.format(
                    "time limits: %d, queue timeouts: %d, running: %d, queued: %d, retries: %d",
                    limits, timeouts, wide.running() + narrow.running(), narrow.queued(), repeated));
            System.exit(0);
        }

        private static CompletableFuture<String> refused() {
            return CompletableFuture.failedFuture(new ConnectException("refused"));
        }

        private static BulkheadPolicy bulkhead(int maxConcurrent, int maxQueue) {
            return BulkheadPolicy.builder()
                    .maxConcurrent(maxConcurrent)
                    .maxQueue(maxQueue)
                    .queueTimeout(DELAY)
                    .build();
        }

        /** Until there are no more. */
        private void eatThreads() {
            try {
                for (int i = 0; i < 1_000; i++) {
                    Thread eater = new Thread(this::waitForEnd);
                    eater.setDaemon(true);
                    eater.start();
                    eaters.add(eater);
                }
                throw new IllegalStateException("The threads of this process are not limited");
            } catch (OutOfMemoryError noThread) {
                System.out.println(eaters.size() + " threads eaten");
            }
        }

        private void waitForEnd() {
            try {
                end.await();
            } catch (InterruptedException released) {
                // its place is free
            }
        }

        private static int failed(List<CompletableFuture<?>> calls) throws Exception {
            int failed = 0;
            for (CompletableFuture<?> call : calls) {
                call.handle((result, failure) -> result).get(60, TimeUnit.SECONDS);
                failed += call.isCompletedExceptionally() ? 1 : 0;
            }
            return failed;
        }
    }
}
