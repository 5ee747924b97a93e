package dev.resilience.spring.ratelimit.jdbc;

import dev.resilience.spring.ratelimit.LimitAcrossProcesses;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.JdbcTemplate;

class LimitInPostgresAcrossProcessesTests extends LimitAcrossProcesses {

    @TempDir
    static Path directory;

    private static EmbeddedPostgres server;
    private List<ProcessHandle> processes = List.of();

    @BeforeAll
    static void begin() throws IOException {
        server = EmbeddedPostgres.builder()
                .setDataDirectory(directory.resolve("data"))
                .setCleanDataDirectory(false)
                .start();
    }

    @AfterAll
    static void end() throws IOException {
        server.close();
    }

    @BeforeEach
    void clear() {
        new JdbcTemplate(server.getPostgresDatabase()).execute("DROP TABLE IF EXISTS resilience_rate_limit");
    }

    @Override
    protected String store() {
        return "jdbc " + server.getJdbcUrl("postgres", "postgres");
    }

    /** Each connection is a process of its own. */
    @Override
    protected List<ProcessHandle> server() {
        if (processes.isEmpty()) { // asked while it answers
            long pid;
            try {
                pid = Long.parseLong(Files.readAllLines(directory.resolve("data/postmaster.pid"))
                        .get(0));
            } catch (IOException failed) {
                throw new java.io.UncheckedIOException(failed);
            }
            ProcessHandle postmaster = ProcessHandle.of(pid).orElseThrow();
            processes = Stream.concat(Stream.of(postmaster), postmaster.descendants())
                    .toList();
        }
        return processes;
    }

    @Override
    protected void stop() throws IOException {
        server.close();
    }

    @Override
    protected void start() throws IOException {
        server = EmbeddedPostgres.builder()
                .setPort(server.getPort())
                .setDataDirectory(directory.resolve("data"))
                .setCleanDataDirectory(false)
                .start();
    }

    @Override
    protected boolean forgets() {
        return false;
    }
}
