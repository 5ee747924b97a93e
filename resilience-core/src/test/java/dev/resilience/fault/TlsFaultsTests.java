package dev.resilience.fault;

import static dev.resilience.fault.Fault.PERMANENT;
import static dev.resilience.fault.Fault.TRANSIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What clients throw when TLS fails: the network's fault passes, a certificate's does not. */
@Timeout(60)
class TlsFaultsTests {

    private static Certificate servers;
    private static Certificate clients;

    @BeforeAll
    static void makeCertificates(@TempDir Path directory) throws Exception {
        servers = Certificate.selfSigned(directory);
        clients = Certificate.selfSigned(directory);
    }

    @Nested
    class ACertificate {

        @Test
        void thatTheClientDoesNotTrustIsPermanent() throws Exception {
            try (ServerSocket server = tls(servers.presented(), false)) {
                assertThat(classify(get(server, SSLContext.getDefault()))).isEqualTo(PERMANENT);
                assertThat(classify(read(server, SSLContext.getDefault()))).isEqualTo(PERMANENT);
            }
        }

        @Test
        void thatTheServerDoesNotTrustIsPermanent() throws Exception {
            try (ServerSocket server = tls(servers.presented(), true)) {
                SSLContext client = clients.presentedTo(servers);
                assertThat(classify(get(server, client))).isEqualTo(PERMANENT);
                assertThat(classify(read(server, client))).isEqualTo(PERMANENT);
            }
        }
    }

    @Nested
    class AHandshake {

        @Test
        void thatIsCutOffIsTransient() throws Exception {
            try (ServerSocket server = serve(ServerSocketFactory.getDefault(), TlsFaultsTests::hangUp)) {
                assertThat(classify(get(server, SSLContext.getDefault()))).isEqualTo(TRANSIENT);
                assertThat(classify(read(server, SSLContext.getDefault()))).isEqualTo(TRANSIENT);
            }
        }

        @Test
        void thatIsResetIsTransient() throws Exception {
            try (ServerSocket server = serve(ServerSocketFactory.getDefault(), socket -> socket.setSoLinger(true, 0))) {
                assertThat(classify(get(server, SSLContext.getDefault()))).isEqualTo(TRANSIENT);
                assertThat(classify(read(server, SSLContext.getDefault()))).isEqualTo(TRANSIENT);
            }
        }

        @Test
        void thatTheLibrarysClientTimesOutIsTransient() {
            assertThat(classify(new SSLException("handshake timed out after 10000ms")))
                    .isEqualTo(TRANSIENT);
        }
    }

    private static Fault classify(Throwable failure) {
        assertThat(failure).isNotNull();
        return FaultClassification.ofJdk().classify(failure, FaultClassification.TRANSIENT_STATUSES);
    }

    private static Throwable get(ServerSocket server, SSLContext context) {
        HttpClient client = HttpClient.newBuilder().sslContext(context).build();
        HttpRequest request = HttpRequest.newBuilder(URI.create("https://localhost:" + server.getLocalPort() + "/"))
                .timeout(Duration.ofSeconds(30))
                .build();
        return catchThrowable(() -> client.send(request, BodyHandlers.discarding()));
    }

    private static Throwable read(ServerSocket server, SSLContext context) {
        return catchThrowable(() -> {
            try (SSLSocket socket =
                    (SSLSocket) context.getSocketFactory().createSocket("localhost", server.getLocalPort())) {
                socket.startHandshake();
                socket.getInputStream().read();
            }
        });
    }

    private static ServerSocket tls(SSLContext context, boolean clientsCertificateWanted) throws IOException {
        SSLServerSocket server = (SSLServerSocket)
                serve(context.getServerSocketFactory(), socket -> ((SSLSocket) socket).startHandshake());
        server.setNeedClientAuth(clientsCertificateWanted);
        return server;
    }

    private static ServerSocket serve(ServerSocketFactory factory, Answer answer) throws IOException {
        ServerSocket server = factory.createServerSocket(0, 50, InetAddress.getByName("localhost"));
        CompletableFuture.runAsync(() -> {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    answer.to(socket);
                } catch (IOException clientOrServerGone) {
                    // the next client, or the end
                }
            }
        });
        return server;
    }

    /** Reads, so that closing sends no reset, and closes in the middle of the handshake. */
    private static void hangUp(Socket socket) throws IOException {
        int ignored = socket.getInputStream().read(new byte[65_536]);
    }

    @FunctionalInterface
    private interface Answer {

        void to(Socket socket) throws IOException;
    }
}
