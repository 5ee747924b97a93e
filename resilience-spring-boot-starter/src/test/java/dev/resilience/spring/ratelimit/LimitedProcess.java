package dev.resilience.spring.ratelimit;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.ratelimit.Permits;
import dev.resilience.ratelimit.RateLimitPolicy;
import dev.resilience.ratelimit.RateLimitStore;
import dev.resilience.ratelimit.SharedLimit;
import dev.resilience.spring.ratelimit.jdbc.JdbcRateLimitStore;
import dev.resilience.spring.ratelimit.redis.RedisRateLimitStore;
import dev.resilience.time.TimeSource;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * A process that makes calls under a shared limit, and writes when each of them that got a permit began and ended, on the clock that all
 * processes of the machine have, into a file that survives it. Reads a line from its input to begin, and ends with its input.
 */
final class LimitedProcess implements AutoCloseable {

    static final int PROCESSES = 3;
    static final int CALLS_A_SECOND = 3_400;
    static final int PERMITS = 5_000;
    static final int BURST = 1_000;
    private static final int THREADS = 4;
    private static final int MAX_CALLS = 2_000_000;

    private final Process process;
    private final Path file;

    /** @param store {@code redis <port>} or {@code jdbc <url>} */
    LimitedProcess(Path directory, String store) throws IOException {
        this.file = directory.resolve(UUID.randomUUID() + ".permits");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx128m",
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                LimitedProcess.class.getName(),
                file.toString()));
        command.addAll(List.of(store.split(" ")));
        this.process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(directory.resolve(file.getFileName() + ".log").toFile())
                .start();
    }

    void begin() throws IOException {
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
    }

    void kill() {
        process.destroyForcibly();
    }

    /** Whether it waits for its beginning. */
    boolean isReady() {
        return Files.exists(file);
    }

    /** A call that got a permit, at some moment between these, in nanoseconds. */
    record Call(long begin, long end) {}

    /** Ends it, and returns the calls that got a permit. */
    List<Call> permits() throws IOException, InterruptedException {
        close();
        process.waitFor();
        return read();
    }

    List<Call> read() throws IOException {
        try (FileChannel channel = FileChannel.open(file)) {
            LongBuffer all = channel.map(FileChannel.MapMode.READ_ONLY, 0, channel.size())
                    .asLongBuffer();
            return IntStream.range(0, all.capacity() / 2)
                    .mapToObj(i -> new Call(all.get(2 * i), all.get(2 * i + 1)))
                    .filter(call -> call.end != 0)
                    .toList();
        }
    }

    boolean hasPermits() {
        try {
            return !read().isEmpty();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    @Override
    public void close() {
        process.destroy();
    }

    public static void main(String... arguments) throws Exception {
        RateLimitPolicy policy = RateLimitPolicy.builder()
                .permits(PERMITS)
                .period(Duration.ofSeconds(1))
                .burst(BURST)
                .build();
        RateLimitStore store = store(arguments[1], arguments[2]);
        store.prepare();
        String node = UUID.randomUUID().toString();
        store.nodes("limit", node); // so that each process knows of all others from the beginning
        AtomicInteger next = new AtomicInteger();
        LongBuffer given;
        try (FileChannel channel = FileChannel.open(
                Path.of(arguments[0]), StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
            given = channel.map(FileChannel.MapMode.READ_WRITE, 0, 2L * MAX_CALLS * Long.BYTES)
                    .asLongBuffer();
        }
        System.in.read();
        SharedLimit limit = new SharedLimit("limit", store, node, TimeSource.system());
        while (!limit.view().get("nodes").equals(PROCESSES)) {
            Thread.sleep(1);
        }
        Permits permits = limit.permits(null, policy);
        for (int i = 0; i < THREADS; i++) {
            new Thread(() -> call(permits, given, next)).start();
        }
        while (System.in.read() >= 0) {
            // until the test ends
        }
        System.out.println(limit.view());
        System.exit(0);
    }

    private static void call(Permits permits, LongBuffer given, AtomicInteger next) {
        long pause = 1_000_000_000L * THREADS / CALLS_A_SECOND;
        long due = System.nanoTime();
        while (true) {
            long begin = System.nanoTime();
            if (permits.acquire(0, true) == 0) {
                int place = 2 * next.getAndIncrement();
                given.put(place, begin);
                given.put(place + 1, System.nanoTime());
            }
            due = Math.max(
                    due + pause,
                    System.nanoTime() - 1_000_000_000L); // a process that stood still does not make up for it
            while (due - System.nanoTime() > 0) {
                LockSupport.parkNanos(due - System.nanoTime());
            }
        }
    }

    private static RateLimitStore store(String type, String place) {
        if (type.equals("redis")) {
            // by default the driver may take half a minute longer than others to find a server that is back
            ClientResources soon = ClientResources.builder()
                    .reconnectDelay(Delay.constant(Duration.ofMillis(100)))
                    .build();
            LettuceConnectionFactory connections = new LettuceConnectionFactory(
                    new RedisStandaloneConfiguration("127.0.0.1", Integer.parseInt(place)),
                    LettuceClientConfiguration.builder().clientResources(soon).build());
            connections.afterPropertiesSet();
            connections.start();
            return new RedisRateLimitStore(connections, "processes:");
        }
        HikariDataSource pool = new HikariDataSource();
        pool.setJdbcUrl(place);
        pool.setUsername("postgres");
        return new JdbcRateLimitStore(pool, "resilience_rate_limit", true);
    }
}
