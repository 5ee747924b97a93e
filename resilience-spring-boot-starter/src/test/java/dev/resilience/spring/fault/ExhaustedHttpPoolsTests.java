package dev.resilience.spring.fault;

import static dev.resilience.fault.Fault.TRANSIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.fault.FaultClassification;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.registry.RegistryInternals;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.apache.hc.client5.http.impl.classic.HttpClients;
import org.apache.hc.client5.http.impl.io.PoolingHttpClientConnectionManagerBuilder;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.http.client.HttpComponentsClientHttpRequestFactory;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.test.context.junit.jupiter.SpringJUnitConfig;
import org.springframework.web.client.RestClient;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.netty.http.client.HttpClient;
import reactor.netty.resources.ConnectionProvider;

/** HTTP clients whose only connection is in use: somebody else may give it back soon. */
@SpringJUnitConfig
@ImportAutoConfiguration(ResilienceAutoConfiguration.class)
@Timeout(60)
class ExhaustedHttpPoolsTests {

    private ServerSocket silent;

    FaultClassification faults;

    @Autowired
    void setFaults(ResilienceRegistry registry) {
        faults = RegistryInternals.faults(registry);
    }

    @BeforeEach
    void listen() throws IOException {
        silent = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        silent.close();
    }

    @Test
    void ofApacheAreTransient() throws IOException {
        HttpComponentsClientHttpRequestFactory factory = new HttpComponentsClientHttpRequestFactory(HttpClients.custom()
                .setConnectionManager(PoolingHttpClientConnectionManagerBuilder.create()
                        .setMaxConnTotal(1)
                        .build())
                .build());
        factory.setConnectionRequestTimeout(Duration.ofMillis(50));
        RestClient client = RestClient.builder().requestFactory(factory).build();
        assertTransient(url -> client.get().uri(url).retrieve().body(String.class));
    }

    @Test
    void ofReactorNettyAreTransientWhenTheTimeInLineIsOver() throws IOException {
        assertTransient(webClient(ConnectionProvider.builder("timeout")
                .maxConnections(1)
                .pendingAcquireTimeout(Duration.ofMillis(50))
                .build()));
    }

    @Test
    void ofReactorNettyAreTransientWhenTheLineIsFull() throws IOException {
        Clients.Get client = webClient(ConnectionProvider.builder("full")
                .maxConnections(1)
                .pendingAcquireMaxCount(0)
                .build());
        assertTransient(client);
    }

    private static Clients.Get webClient(ConnectionProvider pool) {
        WebClient client = WebClient.builder()
                .clientConnector(new ReactorClientHttpConnector(HttpClient.create(pool)))
                .build();
        return url -> client.get().uri(url).retrieve().bodyToMono(String.class).block();
    }

    private void assertTransient(Clients.Get client) throws IOException {
        String url = "http://localhost:" + silent.getLocalPort() + "/";
        CompletableFuture<Throwable> first =
                CompletableFuture.supplyAsync(() -> catchThrowable(() -> client.from(url)));
        Socket connection = silent.accept();
        assertThat(connection.getInputStream().read()).isPositive();

        Throwable failure = catchThrowable(() -> client.from(url));

        assertThat(failure).isNotNull();
        assertThat(faults.classify(failure, FaultClassification.TRANSIENT_STATUSES))
                .as("%s", failure)
                .isEqualTo(TRANSIENT);
        connection.close();
        silent.close(); // or the first call would try again
        assertThat(first).succeedsWithin(Duration.ofSeconds(30));
    }
}
