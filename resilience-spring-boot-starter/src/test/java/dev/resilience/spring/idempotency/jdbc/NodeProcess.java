package dev.resilience.spring.idempotency.jdbc;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A {@link Node}, seen from the test. Dies with the test's own process at the latest. */
final class NodeProcess implements AutoCloseable {

    private static final int PATIENCE_SECONDS = 120;

    private final Process process;
    private final Writer input;
    private final BlockingQueue<String> answers = new LinkedBlockingQueue<>();
    private final List<String> log = new ArrayList<>();
    private @Nullable Queue<NodeProcess> idleNodes;
    private boolean ready;

    /** Orders without an answer, and one while the process is frozen. */
    private int unanswered;

    NodeProcess(ServerDatabases database, String... properties) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                Node.class.getName(),
                "--node.url=" + database.url(),
                "--node.user=" + database.user(),
                "--spring.main.banner-mode=off",
                "--logging.level.root=warn",
                "--resilience.idempotency-store.jdbc.initialize-schema=always"));
        // one that sleeps or dies soon loses its leases; where a call stops is no other argument
        for (String policy : List.of("orders", "at-least-once", "at-most-once")) {
            String prefix = "--resilience.idempotency." + policy + ".";
            command.addAll(List.of(prefix + "lease=250ms", prefix + "max-lease=250ms", prefix + "fingerprint=false"));
        }
        command.addAll(List.of(
                "--resilience.idempotency.patient.lease=5s", "--resilience.idempotency.patient.fingerprint=false"));
        command.add("--resilience.idempotency.at-least-once.on-abandoned=take-over");
        command.add("--resilience.idempotency.at-most-once.on-abandoned=reject");
        command.addAll(List.of(properties));
        process = new ProcessBuilder(command).redirectErrorStream(true).start();
        input = new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8);
        Runtime.getRuntime().addShutdownHook(new Thread(process::destroyForcibly));
        Thread reader = new Thread(this::read, "output of a node");
        reader.setDaemon(true);
        reader.start();
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.startsWith(Node.ANSWER)) {
                    answers.add(line.substring(Node.ANSWER.length()));
                } else {
                    synchronized (log) {
                        log.add(line);
                    }
                }
            }
        } catch (IOException killed) {
            // that is the point
        }
    }

    /** A process takes seconds to start: this one, if it waits for orders when it is closed, is kept there and not ended. */
    NodeProcess keptIn(Queue<NodeProcess> idle) {
        idleNodes = idle;
        return this;
    }

    NodeProcess awaitReady() throws InterruptedException {
        if (!ready) {
            unanswered++;
            expect("ready");
            ready = true;
        }
        return this;
    }

    void send(String order) {
        unanswered++;
        try {
            input.write(order + "\n");
            input.flush();
        } catch (IOException broken) {
            throw new UncheckedIOException(broken);
        }
    }

    /** Waits for an answer, which must be this one. */
    void expect(String expected) throws InterruptedException {
        String answer = answer();
        if (!answer.equals(expected)) {
            throw new AssertionError("The node said '" + answer + "' in place of '" + expected + "'\n" + log());
        }
    }

    String answer() throws InterruptedException {
        String answer = answers.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (answer == null) {
            throw new AssertionError("The node says nothing\n" + log());
        }
        unanswered--;
        return answer;
    }

    private String log() {
        synchronized (log) {
            return String.join("\n", log);
        }
    }

    /** As {@code kill -9} does. */
    void kill() throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    void freeze() throws IOException, InterruptedException {
        unanswered++;
        signal("STOP");
    }

    void thaw() throws IOException, InterruptedException {
        signal("CONT");
        unanswered--;
    }

    private void signal(String name) throws IOException, InterruptedException {
        int exit = new ProcessBuilder("kill", "-" + name, String.valueOf(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
        if (exit != 0) {
            throw new IllegalStateException("kill -" + name + " ended with " + exit);
        }
    }

    @Override
    public void close() {
        if (idleNodes != null && ready && unanswered == 0 && process.isAlive()) {
            idleNodes.add(this);
        } else {
            end();
        }
    }

    void end() {
        process.destroyForcibly();
    }
}
