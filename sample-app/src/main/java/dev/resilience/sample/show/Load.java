package dev.resilience.sample.show;

import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import org.springframework.core.env.Environment;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.stereotype.Component;

/** Sends orders to the shop over HTTP, as customers would, and stops when no page has looked for five seconds. */
@Component
class Load {

    private static final int TICKS_A_SECOND = 50;
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(5);
    private static final String ORDER = "{\"customer\": \"Load\", \"item\": \"Teapot\", \"amount\": 42}";

    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
    private final Environment environment;
    volatile int ordersPerSecond;
    private volatile long watched;
    private int due;

    Load(Environment environment) {
        this.environment = environment;
    }

    void set(int wanted) {
        isWatched();
        ordersPerSecond = Math.min(50, Math.max(0, wanted));
    }

    void isWatched() {
        watched = System.nanoTime();
    }

    @Scheduled(fixedRate = 1000 / TICKS_A_SECOND)
    void tick() {
        if (System.nanoTime() - watched > PATIENCE) {
            ordersPerSecond = 0;
        }
        for (due += ordersPerSecond; due >= TICKS_A_SECOND; due -= TICKS_A_SECOND) {
            send();
        }
    }

    private void send() {
        URI shop = URI.create("http://localhost:" + environment.getProperty("local.server.port") + "/orders");
        HttpRequest order = HttpRequest.newBuilder(shop)
                .header("Content-Type", "application/json")
                .header("Idempotency-Key", UUID.randomUUID().toString())
                .POST(BodyPublishers.ofString(ORDER))
                .build();
        var unused = client.sendAsync(order, BodyHandlers.discarding()); // what became of it is in the OrderLog
    }
}
