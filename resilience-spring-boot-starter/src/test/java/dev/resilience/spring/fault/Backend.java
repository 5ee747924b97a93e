package dev.resilience.spring.fault;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** A real server on loopback that answers as it is told to, in that order, and with 200 from then on. */
final class Backend implements AutoCloseable {

    private final HttpServer server;
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final Queue<Answer> answers = new ConcurrentLinkedQueue<>();
    private final CountDownLatch closed = new CountDownLatch(1);

    Backend() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setExecutor(threads);
        server.createContext("/", this::answer);
        server.start();
    }

    String url() {
        return url(server.getAddress().getPort());
    }

    Backend answering(int... statuses) {
        for (int status : statuses) {
            answers.add(exchange -> send(exchange, status));
        }
        return this;
    }

    Backend answeringWith(int status, String header, String value) {
        answers.add(exchange -> {
            exchange.getResponseHeaders().set(header, value);
            send(exchange, status);
        });
        return this;
    }

    Backend hangingUp() {
        answers.add(HttpExchange::close);
        return this;
    }

    Backend hanging() {
        answers.add(exchange -> {
            try {
                closed.await(1, TimeUnit.MINUTES);
            } catch (InterruptedException end) {
                Thread.currentThread().interrupt();
            }
        });
        return this;
    }

    private void answer(HttpExchange exchange) throws IOException {
        Answer next = answers.poll();
        if (next == null) {
            send(exchange, 200);
        } else {
            next.give(exchange);
        }
    }

    private static void send(HttpExchange exchange, int status) throws IOException {
        byte[] body = ("status " + status).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(status, body.length);
        exchange.getResponseBody().write(body);
        exchange.close();
    }

    private static String url(int port) {
        return "http://127.0.0.1:" + port;
    }

    @Override
    public void close() {
        closed.countDown();
        server.stop(0);
        threads.shutdownNow();
    }

    private interface Answer {

        void give(HttpExchange exchange) throws IOException;
    }
}
