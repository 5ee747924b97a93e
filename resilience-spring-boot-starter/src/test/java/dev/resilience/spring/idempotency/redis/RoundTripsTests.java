package dev.resilience.spring.idempotency.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What a call costs, as the server sees it. */
class RoundTripsTests {

    @RegisterExtension
    static final TestRedis REDIS = new TestRedis();

    private PlaceOrder order;

    /** The first call of all has more to do: the server learns the scripts, and is asked what it evicts. */
    @BeforeEach
    void warmUp() throws Exception {
        order = new PlaceOrder(REDIS.emptyStore());
        order.call(() -> "warm");
        REDIS.flush();
    }

    @Test
    void twoForAFirstExecution() throws Exception {
        assertThat(commandsOf(() -> order.call(() -> "ok")))
                .hasSize(2)
                .allMatch(command -> command.contains("\"EVALSHA\""));
    }

    @Test
    void oneForAReplay() throws Exception {
        order.call(() -> "ok");

        assertThat(commandsOf(() -> order.call(() -> "again")))
                .singleElement()
                .asString()
                .contains("\"EVALSHA\"");
    }

    /** What clients sent to the server meanwhile, without what scripts do there. */
    private static List<String> commandsOf(Action action) throws Exception {
        try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), REDIS.port());
                BufferedReader monitor =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write("MONITOR\r\n".getBytes(StandardCharsets.UTF_8));
            assertThat(monitor.readLine()).isEqualTo("+OK");
            action.run();
            REDIS.onConnection(connection -> connection.echo("the end".getBytes(StandardCharsets.UTF_8)));
            return commandsBeforeTheEnd(monitor);
        }
    }

    private static List<String> commandsBeforeTheEnd(BufferedReader monitor) throws IOException {
        List<String> commands = new ArrayList<>();
        for (String line = monitor.readLine(); !line.contains("\"the end\""); line = monitor.readLine()) {
            if (!line.contains(" lua]")) {
                commands.add(line);
            }
        }
        return commands;
    }

    private interface Action {

        void run() throws Exception;
    }
}
