package dev.resilience.sample.show;

import dev.resilience.sample.gateway.PaymentGateway;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.http.client.JdkClientHttpRequestFactory;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.RestClientException;

/**
 * The same shop as it is often written. Its page, its service and its HTTP client each try three times, 0.1 s apart,
 * without a breaker, a limit or a key: up to 27 calls for one order. Its gateway has the same faults as the other one.
 */
@Component
class UnprotectedTwin implements AutoCloseable {

    private static final int THREADS = 40;

    final Minute minute = new Minute();
    final ThreadPoolExecutor threads =
            new ThreadPoolExecutor(THREADS, THREADS, 0, TimeUnit.SECONDS, new LinkedBlockingQueue<>());
    private final AtomicInteger orders = new AtomicInteger();
    private final RestClient client;

    UnprotectedTwin(
            @Qualifier("twinGateway") PaymentGateway gateway,
            @Value("${spring.http.clients.read-timeout}") Duration readTimeout) {
        var http = new JdkClientHttpRequestFactory();
        http.setReadTimeout(readTimeout);
        client =
                RestClient.builder().requestFactory(http).baseUrl(gateway.uri()).build();
    }

    /** Takes an order, as a web server with so many threads does. */
    void order() {
        String order = "twin-" + orders.incrementAndGet();
        long began = System.nanoTime();
        minute.add("orders", 1);
        threads.execute(() -> place(order, began));
    }

    private void place(String order, long began) {
        try {
            threeTimes(() -> threeTimes(() -> threeTimes(() -> charge(order))));
            minute.end("paid", began);
        } catch (RestClientException failure) {
            minute.end("failed", began);
        }
    }

    private void charge(String order) {
        minute.add("calls", 1);
        client.post()
                .uri("/charges")
                .body(Map.of("order", order, "amount", 42))
                .retrieve()
                .toBodilessEntity();
    }

    private static void threeTimes(Runnable step) {
        for (int left = 2; ; left--) {
            try {
                step.run();
                return;
            } catch (RestClientException failure) {
                if (left == 0) {
                    throw failure;
                }
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(100));
            }
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
    }
}
