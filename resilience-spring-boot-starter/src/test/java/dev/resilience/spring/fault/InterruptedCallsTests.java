package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.UNKNOWN;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.fault.FaultClassification;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;

/** Whatever a client makes of an interrupt, it is recognised as one: it is no timeout, and no lost connection. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
@Timeout(60)
class InterruptedCallsTests {

    /** These read from a blocking socket, which a platform thread's interrupt does not reach. */
    private static final Set<String> DEAF =
            Set.of("RestClient, HttpURLConnection", "RestClient, Apache", "RestTemplate");

    private static final Map<String, Clients.Get> CLIENTS = Clients.patientFor(Duration.ofSeconds(30));

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    static Stream<String> clients() {
        return CLIENTS.keySet().stream().filter(client -> !DEAF.contains(client));
    }

    @ParameterizedTest
    @MethodSource("clients")
    void ofHttpClients(String client) throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress())) {
            String url = "http://localhost:" + silent.getLocalPort() + "/";

            assertInterrupt(Interrupted.once(
                    () -> awaitRequest(silent), () -> CLIENTS.get(client).from(url)));
        }
    }

    @Test
    void ofConnectionPools() throws Exception {
        try (HikariDataSource pool = pool();
                Connection only = pool.getConnection()) {
            assertThat(only.isClosed()).isFalse();

            assertInterrupt(Interrupted.once(() -> awaitWaiter(pool), pool::getConnection));
        }
    }

    @Test
    void ofConnectionPoolsThroughSpring() throws Exception {
        try (HikariDataSource pool = pool();
                Connection only = pool.getConnection()) {
            assertThat(only.isClosed()).isFalse();

            assertInterrupt(
                    Interrupted.once(() -> awaitWaiter(pool), () -> new JdbcTemplate(pool).execute("select 1")));
        }
    }

    private void assertInterrupt(Throwable failure) {
        assertThat(failure).isNotNull();
        assertThat(FaultClassification.isInterrupt(failure)).as("%s", failure).isTrue();
        assertThat(faults.classify(failure, FaultClassification.TRANSIENT_STATUSES))
                .isEqualTo(UNKNOWN);
    }

    private static HikariDataSource pool() {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl("jdbc:h2:mem:interrupted");
        config.setMaximumPoolSize(1);
        return new HikariDataSource(config);
    }

    private static void awaitWaiter(HikariDataSource pool) {
        await().until(() -> pool.getHikariPoolMXBean().getThreadsAwaitingConnection() > 0);
    }

    /** The connection stays open: the client is to hear of nothing but the interrupt. */
    @SuppressWarnings("resource")
    private static void awaitRequest(ServerSocket server) throws IOException {
        Socket client = server.accept();
        assertThat(client.getInputStream().read()).isPositive();
    }
}
