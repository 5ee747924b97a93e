package dev.resilience.springcloud;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicInteger;

/** A service that answers with the status that it is told to. */
final class Backend implements AutoCloseable {

    private final AtomicInteger calls = new AtomicInteger();
    private final HttpServer server;
    private volatile int status = 200;

    Backend() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException noPort) {
            throw new IllegalStateException(noPort);
        }
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    void answersWith(int wanted) {
        status = wanted;
    }

    /** How often it was called. */
    int calls() {
        return calls.get();
    }

    private void answer(HttpExchange exchange) throws IOException {
        calls.incrementAndGet();
        byte[] body = "from the backend".getBytes(StandardCharsets.UTF_8);
        try (exchange) {
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
