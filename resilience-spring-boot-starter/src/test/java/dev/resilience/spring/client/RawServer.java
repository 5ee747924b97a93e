package dev.resilience.spring.client;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A server of HTTP/1.1 on loopback that counts what it gets, and does with each request what a test has said, in that order;
 * with those behind them the {@linkplain #otherwise usual} thing.
 */
final class RawServer implements AutoCloseable {

    /** A request as it came. */
    record Request(String method, String path, Map<String, String> headers, String body) {

        @Nullable
        String header(String name) {
            return headers.get(name.toLowerCase(Locale.ROOT));
        }
    }

    /** What becomes of a request and its connection. */
    @FunctionalInterface
    interface Reaction {

        /** Returns whether the connection stays open. */
        boolean to(Request request, Socket socket) throws IOException;
    }

    private final ServerSocket server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Reaction> reactions = new ConcurrentLinkedQueue<>();
    private final List<Request> requests = new CopyOnWriteArrayList<>();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile Reaction usual = answer(200, "good");

    RawServer() {
        try {
            server = new ServerSocket(0, 200, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.execute(this::accept);
    }

    static Reaction answer(int status, String body, String... headers) {
        return (request, socket) -> {
            StringBuilder head = new StringBuilder("HTTP/1.1 " + status + " Status\r\nContent-Length: "
                    + body.getBytes(StandardCharsets.UTF_8).length + "\r\n");
            for (String header : headers) {
                head.append(header).append("\r\n");
            }
            String text = head + "\r\n" + (request.method().equals("HEAD") ? "" : body);
            write(socket, text);
            return true;
        };
    }

    /** Cuts the connection when the request has come. */
    static Reaction cut() {
        return (request, socket) -> {
            socket.setSoLinger(true, 0);
            return false;
        };
    }

    /** Lets the request wait until the server closes. */
    Reaction hang() {
        return (request, socket) -> {
            try {
                closed.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
            return false;
        };
    }

    static void write(Socket socket, String text) throws IOException {
        OutputStream out = socket.getOutputStream();
        out.write(text.getBytes(StandardCharsets.UTF_8));
        out.flush();
    }

    RawServer then(Reaction... next) {
        reactions.addAll(List.of(next));
        return this;
    }

    RawServer otherwise(Reaction reaction) {
        usual = reaction;
        return this;
    }

    String url() {
        return "http://127.0.0.1:" + server.getLocalPort();
    }

    int port() {
        return server.getLocalPort();
    }

    List<Request> requests() {
        return requests;
    }

    List<@Nullable String> headers(String name) {
        return requests.stream().map(request -> request.header(name)).toList();
    }

    int openConnections() {
        return open.size();
    }

    private void accept() {
        while (!server.isClosed()) {
            try {
                Socket socket = server.accept();
                socket.setTcpNoDelay(true);
                open.add(socket);
                threads.execute(() -> serve(socket));
            } catch (IOException end) {
                return;
            }
        }
    }

    private void serve(Socket socket) {
        try (socket) {
            InputStream in = new BufferedInputStream(socket.getInputStream());
            boolean stays = true;
            while (stays) {
                Request request = read(in);
                if (request == null) {
                    return;
                }
                requests.add(request);
                Reaction next = reactions.poll();
                stays = (next == null ? usual : next).to(request, socket);
            }
        } catch (SocketException clientWent) {
            // or the server is closed
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } finally {
            open.remove(socket);
        }
    }

    private static @Nullable Request read(InputStream in) throws IOException {
        String first = line(in);
        if (first == null) {
            return null;
        }
        Map<String, String> headers = new TreeMap<>();
        for (String line = line(in); line != null && !line.isEmpty(); line = line(in)) {
            int colon = line.indexOf(':');
            headers.merge(
                    line.substring(0, colon).toLowerCase(Locale.ROOT),
                    line.substring(colon + 1).strip(),
                    (one, other) -> one + ", " + other);
        }
        String[] words = first.split(" ", 3);
        return new Request(words[0], words[1], headers, body(in, headers));
    }

    private static String body(InputStream in, Map<String, String> headers) throws IOException {
        if (!"chunked".equals(headers.get("transfer-encoding"))) {
            int length = Integer.parseInt(headers.getOrDefault("content-length", "0"));
            return new String(in.readNBytes(length), StandardCharsets.UTF_8);
        }
        StringBuilder body = new StringBuilder();
        while (true) {
            int length = Integer.parseInt(String.valueOf(line(in)).strip(), 16);
            body.append(new String(in.readNBytes(length), StandardCharsets.UTF_8));
            line(in);
            if (length == 0) {
                return body.toString();
            }
        }
    }

    static @Nullable String line(InputStream in) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = in.read(); c != '\n'; c = in.read()) {
            if (c < 0) {
                return null;
            }
            line.append((char) c);
        }
        return line.toString().strip();
    }

    @Override
    public void close() {
        closed.countDown();
        try {
            server.close();
            for (Socket socket : open) {
                socket.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        threads.shutdownNow();
    }
}
