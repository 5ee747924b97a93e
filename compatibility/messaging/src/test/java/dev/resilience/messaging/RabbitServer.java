package dev.resilience.messaging;

import com.rabbitmq.client.Channel;
import com.rabbitmq.client.Connection;
import com.rabbitmq.client.ConnectionFactory;
import com.rabbitmq.client.GetResponse;
import java.io.BufferedReader;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A RabbitMQ of Debian's package {@code rabbitmq-server}, with files, ports and a name of its own, for this JVM. */
final class RabbitServer {

    private static final Path PROGRAM = Path.of("/usr/lib/rabbitmq/bin/rabbitmq-server");

    /**
     * Its input is open as long as this JVM lives, however that ends. Then everything that it has started is killed, which is one
     * group of processes, and its directory removed.
     */
    private static final String SCRIPT = """
            exec 3<&0
            epmd &
            %s -noinput &
            server=$!
            exec >/dev/null 2>&1
            { cat <&3; kill -KILL $server; } &
            wait $server
            rm -rf "$HOME"
            kill -KILL 0
            """.formatted(PROGRAM);

    private final int port;
    private final Connection connection;

    private RabbitServer(int port) throws Exception {
        this.port = port;
        ConnectionFactory connections = new ConnectionFactory();
        connections.setHost("127.0.0.1");
        connections.setPort(port);
        connection = connections.newConnection();
    }

    static boolean isInstalled() {
        return Files.isExecutable(PROGRAM);
    }

    /** Started for the first that needs it; ends with the JVM. */
    static RabbitServer get() {
        return Started.SERVER;
    }

    private static final class Started {

        static final RabbitServer SERVER = start();
    }

    /** Another process may take a port meanwhile. */
    private static RabbitServer start() {
        IllegalStateException failed = new IllegalStateException("RabbitMQ does not start");
        for (int attempt = 1; attempt <= 3; attempt++) {
            try {
                return startOnce();
            } catch (Exception again) {
                failed.addSuppressed(again);
            }
        }
        throw failed;
    }

    private static RabbitServer startOnce() throws Exception {
        Path home = Files.createTempDirectory("rabbitmq");
        List<String> ports = freePorts();
        ProcessBuilder server = new ProcessBuilder("setsid", "sh", "-c", SCRIPT).redirectErrorStream(true);
        server.environment().keySet().removeIf(variable -> variable.startsWith("RABBITMQ_"));
        server.environment()
                .putAll(Map.of(
                        "HOME", home.toString(),
                        "RABBITMQ_NODENAME", "test-" + ports.get(0) + "@localhost",
                        "RABBITMQ_MNESIA_BASE", home.toString(),
                        "RABBITMQ_LOG_BASE", home.toString(),
                        "RABBITMQ_CONF_ENV_FILE",
                                Files.createFile(home.resolve("environment")).toString(),
                        "RABBITMQ_CONFIG_FILE", home.resolve("none").toString(),
                        "RABBITMQ_ENABLED_PLUGINS_FILE", home.resolve("none").toString(),
                        "RABBITMQ_ALLOW_INPUT", "1")); // in place of a script around it that waits for signals
        server.environment()
                .putAll(Map.of(
                        "RABBITMQ_NODE_IP_ADDRESS", "127.0.0.1",
                        "RABBITMQ_NODE_PORT", ports.get(0),
                        "RABBITMQ_DIST_PORT", ports.get(1),
                        "ERL_EPMD_ADDRESS", "127.0.0.1",
                        "ERL_EPMD_PORT", ports.get(2)));
        Process process = server.start();
        try {
            CompletableFuture.runAsync(() -> awaitStart(process.inputReader()), Effects.OWN_THREAD)
                    .get(60, TimeUnit.SECONDS);
            return new RabbitServer(Integer.parseInt(ports.get(0)));
        } catch (Exception failed) {
            process.getOutputStream().close();
            throw failed;
        }
    }

    private static void awaitStart(BufferedReader output) {
        List<String> lines = new ArrayList<>();
        try {
            for (String line = output.readLine(); line != null; line = output.readLine()) {
                if (line.contains("Starting broker... completed")) {
                    return;
                }
                lines.add(line);
            }
        } catch (IOException failed) {
            lines.add(failed.toString());
        }
        throw new IllegalStateException(String.join("\n", lines));
    }

    private static List<String> freePorts() throws IOException {
        InetAddress loopback = InetAddress.getLoopbackAddress();
        try (ServerSocket first = new ServerSocket(0, 1, loopback);
                ServerSocket second = new ServerSocket(0, 1, loopback);
                ServerSocket third = new ServerSocket(0, 1, loopback)) {
            return List.of(
                    String.valueOf(first.getLocalPort()),
                    String.valueOf(second.getLocalPort()),
                    String.valueOf(third.getLocalPort()));
        }
    }

    int port() {
        return port;
    }

    /** How many messages are in a queue that no consumer has got. */
    long waiting(String queue) {
        return ask(channel -> channel.messageCount(queue));
    }

    long consumers(String queue) {
        return ask(channel -> channel.consumerCount(queue));
    }

    /** Takes the bodies of all messages in a queue. */
    List<String> take(String queue) {
        return ask(channel -> {
            List<String> bodies = new ArrayList<>();
            for (GetResponse got = channel.basicGet(queue, true); got != null; got = channel.basicGet(queue, true)) {
                bodies.add(new String(got.getBody(), StandardCharsets.UTF_8));
            }
            return bodies;
        });
    }

    private <T> T ask(Question<T> question) {
        try (Channel channel = connection.createChannel()) {
            return question.ask(channel);
        } catch (Exception failed) {
            throw new IllegalStateException(failed);
        }
    }

    @FunctionalInterface
    private interface Question<T> {

        T ask(Channel channel) throws Exception;
    }
}
