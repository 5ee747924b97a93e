package dev.resilience.spring.fault;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ServerSocketFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/** Servers on loopback that each do one thing wrong to every client. */
final class FaultyServers implements AutoCloseable {

    private static final String CUT_OFF_ANSWER =
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\n64\r\nhalf";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final List<ServerSocket> servers = new ArrayList<>();

    /** Closes the connection with a reset as soon as the request is there. */
    String resetting() throws IOException {
        return http(plain(socket -> {
            awaitRequest(socket);
            socket.setSoLinger(true, 0);
        }));
    }

    /** Closes the connection politely, but without an answer. */
    String hangingUp() throws IOException {
        return http(plain(FaultyServers::awaitRequest));
    }

    /** Closes the connection in the middle of the answer. */
    String cuttingOff() throws IOException {
        return http(plain(socket -> {
            awaitRequest(socket);
            sendHalf(socket);
        }));
    }

    /** Never answers. */
    String hanging() throws IOException {
        return http(plain(FaultyServers::awaitEnd));
    }

    /** Never ends the answer. */
    String hangingHalfWay() throws IOException {
        return http(plain(socket -> {
            awaitRequest(socket);
            sendHalf(socket);
            awaitEnd(socket);
        }));
    }

    /** Closes the connection in the middle of the TLS handshake. */
    String cuttingOffTls() throws IOException {
        return https(plain(FaultyServers::awaitRequest));
    }

    /** Resets the connection in the middle of the TLS handshake. */
    String resettingTls() throws IOException {
        return https(plain(socket -> socket.setSoLinger(true, 0)));
    }

    /** Presents a certificate that nobody trusts. */
    String untrusted(SSLContext context) throws IOException {
        return https(serve(context.getServerSocketFactory(), socket -> ((SSLSocket) socket).startHandshake()));
    }

    /** As {@link #untrusted}, in the way of PostgreSQL: the client asks for TLS first, and the server agrees. */
    String untrustedPostgres(SSLContext context) throws IOException {
        return http(plain(socket -> {
            agreeToTls(socket);
            SSLSocket tls = (SSLSocket) context.getSocketFactory()
                    .createSocket(socket, socket.getInetAddress().getHostAddress(), socket.getPort(), true);
            tls.setUseClientMode(false);
            tls.startHandshake();
        }));
    }

    /** As {@link #cuttingOffTls}, in the way of PostgreSQL. */
    String cuttingOffTlsAsPostgres() throws IOException {
        return http(plain(socket -> {
            agreeToTls(socket);
            awaitRequest(socket);
        }));
    }

    private static void agreeToTls(Socket socket) throws IOException {
        awaitRequest(socket);
        socket.getOutputStream().write('S');
        socket.getOutputStream().flush();
    }

    private ServerSocket plain(Behaviour behaviour) throws IOException {
        return serve(ServerSocketFactory.getDefault(), behaviour);
    }

    private ServerSocket serve(ServerSocketFactory factory, Behaviour behaviour) throws IOException {
        ServerSocket server = factory.createServerSocket(0, 50, InetAddress.getLoopbackAddress());
        servers.add(server);
        threads.execute(() -> {
            while (!server.isClosed()) {
                try {
                    Socket socket = server.accept();
                    threads.execute(() -> behave(socket, behaviour));
                } catch (IOException closed) {
                    // the end
                }
            }
        });
        return server;
    }

    private static void behave(Socket socket, Behaviour behaviour) {
        try (socket) {
            behaviour.towards(socket);
        } catch (IOException clientGone) {
            // nobody left to be bad to
        }
    }

    /** Reads, so that closing sends no reset. */
    private static void awaitRequest(Socket socket) throws IOException {
        int ignored = socket.getInputStream().read(new byte[65_536]);
    }

    private static void sendHalf(Socket socket) throws IOException {
        socket.getOutputStream().write(CUT_OFF_ANSWER.getBytes(StandardCharsets.US_ASCII));
        socket.getOutputStream().flush();
    }

    /** Until the client gives up. */
    private static void awaitEnd(Socket socket) throws IOException {
        socket.getInputStream().transferTo(OutputStream.nullOutputStream());
    }

    private static String http(ServerSocket server) {
        return "http://localhost:" + server.getLocalPort() + "/";
    }

    private static String https(ServerSocket server) {
        return "https://localhost:" + server.getLocalPort() + "/";
    }

    @Override
    public void close() throws IOException {
        for (ServerSocket server : servers) {
            server.close();
        }
        threads.shutdownNow();
    }

    @FunctionalInterface
    private interface Behaviour {

        void towards(Socket socket) throws IOException;
    }
}
