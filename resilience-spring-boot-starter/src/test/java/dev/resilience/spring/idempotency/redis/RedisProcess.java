package dev.resilience.spring.idempotency.redis;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.springframework.util.FileSystemUtils;
import redis.embedded.RedisServer;
import redis.embedded.core.RedisServerBuilder;

/** A real server on loopback that keeps nothing on disk. If its tests are killed, a shutdown hook of its library ends it. */
final class RedisProcess {

    private static final int CLUSTER_BUS = 10_000; // where the nodes of a cluster talk to each other

    private final int port = freePort();
    private final List<String> settings;
    private RedisServer server;
    private Path directory;

    RedisProcess(String... settings) {
        this.settings = List.of(settings);
    }

    int port() {
        return port;
    }

    /** Starts an empty server, always at the same port. */
    void start() {
        try {
            directory = Files.createTempDirectory("redis-of-tests");
            RedisServerBuilder builder = RedisServer.newRedisServer()
                    .port(port)
                    .setting("dir " + directory)
                    .setting("save \"\"")
                    .setting("appendonly no");
            settings.forEach(builder::setting);
            server = builder.build();
            server.start();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    void stop() {
        try {
            server.stop();
            FileSystemUtils.deleteRecursively(directory);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static int freePort() {
        return IntStream.generate(() -> (int) (20_000 + Math.random() * 25_000))
                .filter(port -> isFree(port) && isFree(port + CLUSTER_BUS))
                .findFirst()
                .getAsInt();
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
