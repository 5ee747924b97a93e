package dev.resilience.spring.client;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A server that cuts the connection of a request where a test wants it, and answers all others. A request that it has read as
 * a whole has an effect, whatever becomes of its answer: the id in its body says whose.
 */
final class CutServer implements AutoCloseable {

    /** Where a connection can be cut that was made; the twelfth point is one that is refused. */
    enum Point {
        BEFORE_READING,
        RESET_BEFORE_READING,
        AFTER_REQUEST_LINE,
        AFTER_REQUEST_HEADERS,
        IN_REQUEST_BODY,
        AFTER_REQUEST,
        AFTER_STATUS_LINE,
        IN_RESPONSE_HEADERS,
        AFTER_RESPONSE_HEADERS,
        IN_RESPONSE_BODY,
        /** The answer says that the connection stays open, and then it does not. */
        AFTER_RESPONSE
    }

    private static final String STATUS = "HTTP/1.1 200 OK\r\n";
    private static final String HEADERS = "Content-Type: text/plain\r\nContent-Length: 4\r\n";

    private final ServerSocket server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Point> next = new ConcurrentLinkedQueue<>();
    private final Map<String, List<String>> effects = new ConcurrentHashMap<>();

    CutServer() {
        try {
            server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort() + "/charges";
    }

    /** Cuts the connection of the next request there. */
    void cutNext(Point point) {
        next.add(point);
    }

    /** Whether a request that is to be cut has not come yet. */
    boolean isToCut() {
        return !next.isEmpty();
    }

    /** By id the effects, each as the key that its request had. */
    Map<String, List<String>> effects() {
        return effects;
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                threads.execute(() -> serve(socket));
            } catch (IOException end) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            Point first = next.peek();
            if (first == Point.BEFORE_READING || first == Point.RESET_BEFORE_READING) {
                next.poll();
                socket.setSoLinger(first == Point.RESET_BEFORE_READING, 0);
                return;
            }
            boolean stays = true;
            while (stays) {
                stays = request(in, socket);
            }
        } catch (IOException clientWent) {
            // or the server is closed
        }
    }

    private boolean request(InputStream in, Socket socket) throws IOException {
        if (RawServer.line(in) == null) {
            return false;
        }
        Point cut = next.poll();
        if (cut == Point.BEFORE_READING || cut == Point.RESET_BEFORE_READING || cut == Point.AFTER_REQUEST_LINE) {
            return false;
        }
        int length = 0;
        boolean chunked = false;
        String key = "";
        for (String line = RawServer.line(in); line != null && !line.isEmpty(); line = RawServer.line(in)) {
            String header = line.toLowerCase(Locale.ROOT);
            String value = line.substring(line.indexOf(':') + 1).strip();
            length = header.startsWith("content-length:") ? Integer.parseInt(value) : length;
            chunked |= header.startsWith("transfer-encoding:");
            key = header.startsWith("idempotency-key:") ? value : key;
        }
        if (cut == Point.AFTER_REQUEST_HEADERS) {
            return false;
        }
        if (chunked) {
            length = Integer.parseInt(String.valueOf(RawServer.line(in)), 16);
        }
        if (cut == Point.IN_REQUEST_BODY) {
            in.readNBytes(length / 2);
            return false;
        }
        String id = new String(in.readNBytes(length), StandardCharsets.UTF_8);
        if (chunked) {
            RawServer.line(in);
            RawServer.line(in);
            RawServer.line(in);
        }
        effects.computeIfAbsent(id.strip(), any -> new CopyOnWriteArrayList<>()).add(key);
        if (cut == Point.AFTER_REQUEST) {
            return false;
        }
        String answer = cut == null
                ? STATUS + HEADERS + "\r\ngood"
                : switch (cut) {
                    case AFTER_STATUS_LINE -> STATUS;
                    case IN_RESPONSE_HEADERS -> STATUS + "Content-Type: text/pl";
                    case AFTER_RESPONSE_HEADERS -> STATUS + HEADERS + "\r\n";
                    case IN_RESPONSE_BODY -> STATUS + HEADERS + "\r\ngo";
                    default -> STATUS + HEADERS + "\r\ngood";
                };
        RawServer.write(socket, answer);
        return cut == null;
    }

    @Override
    public void close() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
