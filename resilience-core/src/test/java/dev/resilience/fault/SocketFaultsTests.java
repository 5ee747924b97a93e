package dev.resilience.fault;

import static dev.resilience.fault.Fault.TRANSIENT;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What the JDK's clients really throw when the other side fails, on this operating system. */
@Timeout(60)
class SocketFaultsTests {

    private ServerSocket server;
    private CompletableFuture<Void> serving = CompletableFuture.completedFuture(null);

    @BeforeEach
    void listen() throws IOException {
        server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        assertThat(serving).succeedsWithin(Duration.ofSeconds(30));
    }

    @Nested
    class ASocket {

        @Test
        void thatIsRefused() throws IOException {
            server.close();

            assertTransient(() -> connect().close());
        }

        @Test
        void thatIsReset() {
            serve(SocketFaultsTests::reset);

            assertTransient(() -> {
                try (Socket socket = connect()) {
                    socket.getInputStream().read();
                }
            });
        }

        @Test
        void thatWritesIntoABrokenPipe() {
            serve(SocketFaultsTests::reset);

            assertTransient(() -> {
                try (Socket socket = connect()) {
                    while (true) {
                        socket.getOutputStream().write(new byte[65_536]);
                    }
                }
            });
        }

        @Test
        void thatReadsInVain() {
            assertTransient(() -> {
                try (Socket socket = connect()) {
                    socket.setSoTimeout(20);
                    socket.getInputStream().read();
                }
            });
        }
    }

    @Nested
    class TheHttpClient {

        @Test
        void thatIsRefused() throws IOException {
            server.close();

            assertTransient(() -> get(Duration.ofSeconds(30)));
        }

        @Test
        void thatIsReset() {
            serve(SocketFaultsTests::reset);

            assertTransient(() -> get(Duration.ofSeconds(30)));
        }

        @Test
        void thatGetsNoAnswer() {
            serve(SocketFaultsTests::hangUp);

            assertTransient(() -> get(Duration.ofSeconds(30)));
        }

        @Test
        void thatWaitsTooLong() {
            assertTransient(() -> get(Duration.ofMillis(20)));
        }

        private void get(Duration timeout) throws Exception {
            HttpRequest request = HttpRequest.newBuilder(address())
                    .version(HttpClient.Version.HTTP_1_1)
                    .timeout(timeout)
                    .build();
            HttpClient.newHttpClient().send(request, BodyHandlers.discarding());
        }
    }

    @Test
    void theOldHttpClientThatGetsNoAnswer() {
        serve(SocketFaultsTests::hangUp);

        assertTransient(() -> {
            HttpURLConnection connection = (HttpURLConnection) address().toURL().openConnection();
            connection.setRequestMethod("POST");
            connection.setDoOutput(true);
            connection.setFixedLengthStreamingMode(1);
            connection.getOutputStream().write('x');
            connection.getResponseCode();
        });
    }

    @Test
    void aTlsHandshakeThatIsCutOff() {
        serve(SocketFaultsTests::hangUp);

        assertTransient(() -> {
            SSLSocketFactory factory = (SSLSocketFactory) SSLSocketFactory.getDefault();
            try (SSLSocket socket = (SSLSocket) factory.createSocket(server.getInetAddress(), server.getLocalPort())) {
                socket.startHandshake();
            }
        });
    }

    @Test
    void aChannelThatKnowsNoSuchHost() {
        assertTransient(() -> SocketChannel.open(InetSocketAddress.createUnresolved("nowhere.invalid", 80))
                .close());
    }

    private static void assertTransient(ThrowingCallable client) {
        Throwable failure = catchThrowable(client);

        assertThat(failure).isNotNull();
        assertThat(FaultClassification.ofJdk().classify(failure, FaultClassification.TRANSIENT_STATUSES))
                .as("%s", failure)
                .isEqualTo(TRANSIENT);
    }

    private Socket connect() throws IOException {
        return new Socket(server.getInetAddress(), server.getLocalPort());
    }

    private URI address() {
        return URI.create("http://" + server.getInetAddress().getHostAddress() + ":" + server.getLocalPort() + "/");
    }

    /** Answers every connection in the same way until the server is closed: clients may try again by themselves. */
    private void serve(Answer answer) {
        serving = CompletableFuture.runAsync(() -> {
            while (!server.isClosed()) {
                try (Socket socket = server.accept()) {
                    answer.to(socket);
                } catch (IOException clientOrServerGone) {
                    // the next client, or the end
                }
            }
        });
    }

    private static void reset(Socket socket) throws IOException {
        socket.setSoLinger(true, 0);
    }

    /** Reads, so that closing sends no reset, and closes without an answer. */
    private static void hangUp(Socket socket) throws IOException {
        int ignored = socket.getInputStream().read(new byte[65_536]);
    }

    @FunctionalInterface
    private interface Answer {

        void to(Socket socket) throws IOException;
    }
}
