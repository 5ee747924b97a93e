package dev.resilience.messaging;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** An application in a process of its own, which is killed after a commit, before its container acknowledges the message. */
final class DyingProcess implements AutoCloseable {

    private static final int LAST = 3; // no more, because its share of the messages may have come to others before

    private static final String COMMITTED = "committed: ";

    private final Process process;
    private final CompletableFuture<Last> last;

    /** @param acknowledged how many deliveries it has acknowledged before */
    record Last(String message, long acknowledged) {}

    /** @param application has the method {@code main}, which calls {@link #endWithItsParent()} */
    DyingProcess(Class<?> application, List<String> arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-cp",
                System.getProperty("java.class.path"),
                application.getName()));
        command.addAll(arguments);
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        last = CompletableFuture.supplyAsync(() -> awaitCommit(process.inputReader()), Effects.OWN_THREAD);
    }

    private static Last awaitCommit(BufferedReader output) {
        List<String> log = new ArrayList<>();
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(COMMITTED)) {
                    String[] words = line.split(" ", 3);
                    return new Last(words[1], Long.parseLong(words[2]));
                }
                log.add(line);
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        throw new IllegalStateException("It has ended:\n" + String.join("\n", log));
    }

    /** Waits for the commit, and does what {@code kill -9} does. Returns the message that is committed, and not acknowledged. */
    Last kill() throws InterruptedException {
        Last committed = last.orTimeout(60, TimeUnit.SECONDS).join();
        process.destroyForcibly().waitFor();
        return committed;
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }

    /** In the process itself. Its input ends when its parent does, in whatever way. */
    static void endWithItsParent() {
        Thread watching = new Thread(() -> {
            try {
                System.in.read();
            } catch (IOException ended) {
                // that too
            }
            Runtime.getRuntime().halt(1);
        });
        watching.setDaemon(true);
        watching.start();
    }

    /** In the process itself: says that a message is committed, and then waits to be killed. */
    static class Death {

        private final AtomicInteger shipments = new AtomicInteger();
        private final ConfigurableApplicationContext context;

        Death(ConfigurableApplicationContext context) {
            this.context = context;
        }

        void onShipment(String order) {
            if (shipments.incrementAndGet() == LAST) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void afterCommit() {
                        System.out.println(
                                COMMITTED + order + " " + Inbox.handled(context).getAsLong());
                        try {
                            new CountDownLatch(1).await();
                        } catch (InterruptedException stopped) {
                            throw new IllegalStateException(stopped);
                        }
                    }
                });
            }
        }
    }
}
