package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.event.RetryOutcome;
import dev.resilience.event.RetryScheduled;
import dev.resilience.exception.TimeLimitExceededException;
import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Queue;
import java.util.Random;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.http.client.reactive.ReactorClientHttpConnector;
import org.springframework.web.reactive.function.client.ClientResponse;
import org.springframework.web.reactive.function.client.WebClient;
import reactor.core.Disposable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.netty.http.client.HttpClient;
import reactor.netty.http.client.PrematureCloseException;
import reactor.netty.resources.ConnectionProvider;

/** Callers of {@code WebClient} that cancel, and times that are over: no request follows, and no connection stays taken. */
class WebClientCancellationTests {

    private static final int CALLS = "long".equals(System.getProperty("stress")) ? 10_000 : 200;

    private final RawServer server = new RawServer();
    private final ConnectionProvider pool = ConnectionProvider.builder("four")
            .maxConnections(4)
            .pendingAcquireMaxCount(-1)
            .pendingAcquireTimeout(Duration.ofSeconds(5))
            .build();

    private final Queue<ResilienceEvent> scheduled = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        pool.dispose();
        server.close();
    }

    private void run(ContextConsumer<AssertableApplicationContext> use, String... properties) {
        Clients.WEB_CLIENT_ON_REACTOR
                .application(
                        "resilience.http-client.backend.hosts=127.0.0.1",
                        "resilience.http-client.backend.retry=backend")
                .withPropertyValues(properties)
                .withBean(ResilienceListener.class, () -> event -> {
                    if (event instanceof RetryScheduled) {
                        scheduled.add(event);
                    }
                })
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    use.accept(application);
                });
    }

    private WebClient client(AssertableApplicationContext application) {
        return unprotected()
                .filter(application.getBean(ResilienceExchangeFilter.class))
                .build();
    }

    private WebClient.Builder unprotected() {
        return WebClient.builder()
                .baseUrl(server.url())
                .clientConnector(new ReactorClientHttpConnector(HttpClient.create(pool)));
    }

    private void assertThatAllConnectionsAreFree() {
        server.otherwise(answer(200, "good"));
        WebClient client = unprotected().build();
        assertThat(Flux.range(0, 20)
                        .flatMap(
                                i -> client.get()
                                        .retrieve()
                                        .bodyToMono(String.class)
                                        .retry(4),
                                20) // some are closed
                        .collectList()
                        .block(Duration.ofSeconds(20)))
                .hasSize(20);
    }

    private static Retry retry(AssertableApplicationContext application) {
        return application.getBean(ResilienceRegistry.class).retry("backend");
    }

    @Test
    void nothingIsSentWhenTheCallerCancelsBetweenTwoAttempts() {
        server.otherwise(answer(503, "down"));
        run(
                application -> {
                    Disposable call = client(application)
                            .get()
                            .retrieve()
                            .bodyToMono(String.class)
                            .subscribe();
                    Awaitility.await().until(() -> !scheduled.isEmpty());
                    call.dispose();

                    assertThat(retry(application).calls().get(RetryOutcome.INTERRUPTED))
                            .isEqualTo(1);
                    assertThat(server.requests()).hasSize(1);
                },
                "resilience.retry.backend.backoff.base-delay=20s",
                "resilience.retry.backend.backoff.jitter=none");
    }

    @Test
    void aCallThatIsCancelledWhileItWaitsForTheAnswerGivesItsConnectionBack() {
        server.otherwise(server.hang());
        run(application -> {
            WebClient client = client(application);
            for (int i = 0; i < 12; i++) {
                int sent = i + 1;
                Disposable call =
                        client.get().retrieve().bodyToMono(String.class).subscribe();
                Awaitility.await()
                        .pollInterval(Duration.ofMillis(5))
                        .until(() -> server.requests().size() == sent);
                call.dispose();
            }
            assertThatAllConnectionsAreFree();
        });
    }

    @Test
    void aCallThatIsCancelledBehindTheHeadersGivesItsConnectionBack() {
        server.otherwise((request, socket) -> {
            RawServer.write(socket, "HTTP/1.1 200 Status\r\nContent-Length: 10\r\n\r\ngood");
            return true; // the rest does not come
        });
        run(application -> {
            WebClient client = client(application);
            for (int i = 0; i < CALLS; i++) {
                CountDownLatch hasHeaders = new CountDownLatch(1);
                Disposable call = client.get()
                        .exchangeToMono(answer -> {
                            hasHeaders.countDown();
                            return Mono.never().then(answer.bodyToMono(String.class));
                        })
                        .subscribe();
                assertThat(hasHeaders.await(10, TimeUnit.SECONDS))
                        .as("call %s", i)
                        .isTrue();
                call.dispose();
            }
            assertThatAllConnectionsAreFree();
        });
    }

    /** The answer comes at the moment at which the caller cancels. */
    @Test
    void anAnswerThatComesWhileTheCallerCancelsIsReleased() {
        Random random = new Random(7);
        run(application -> {
            WebClient client = client(application);
            for (int i = 0; i < CALLS; i++) {
                Disposable call = client.get()
                        .exchangeToMono(answer -> answer.bodyToMono(String.class))
                        .subscribe(read -> {}, failed -> {});
                LockSupport.parkNanos(random.nextInt(600_000));
                call.dispose();
            }
            assertThatAllConnectionsAreFree();
        });
    }

    /** A connection is closed that was acquired, or was just being acquired. */
    private static boolean isOfReactor(Throwable cause) {
        return cause instanceof PrematureCloseException
                || (cause instanceof IOException && cause.getMessage().startsWith("Error while acquiring"));
    }

    /** The answer comes at the moment at which the time is over. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void anAnswerThatComesWhileTheTimeEndsIsReleased(int attempts) {
        Random random = new Random(7);
        server.otherwise((request, socket) -> {
            LockSupport.parkNanos(8_000_000 + random.nextInt(4_000_000));
            return answer(200, "good").to(request, socket);
        });
        run(
                application -> {
                    WebClient client = client(application);
                    AtomicInteger late = new AtomicInteger();
                    Queue<Throwable> unexpected = new ConcurrentLinkedQueue<>();
                    AtomicInteger inTime = new AtomicInteger();
                    Flux.range(0, CALLS)
                            .flatMap(
                                    i -> client.get()
                                            .exchangeToMono(answer -> answer.bodyToMono(String.class))
                                            .doOnNext(read -> inTime.incrementAndGet())
                                            .onErrorResume(failed -> {
                                                if (failed instanceof TimeLimitExceededException) {
                                                    late.incrementAndGet();
                                                } else if (!isOfReactor(failed.getCause())) {
                                                    unexpected.add(failed);
                                                } // Reactor Netty does so, also without any filter
                                                return Mono.empty();
                                            }),
                                    4)
                            .blockLast(Duration.ofMinutes(2));
                    assertThat(unexpected).isEmpty();
                    assertThat(late.get()).isPositive();
                    assertThat(inTime.get()).isPositive();
                    assertThatAllConnectionsAreFree();
                },
                "resilience.http-client.backend.time-limit=backend",
                "resilience.time-limit.backend.timeout=10ms",
                "resilience.retry.backend.max-attempts=" + attempts);
    }

    @Test
    void anAnswerThatIsNotReadInTimeByItsCallerIsReleasedWithTheCaller() {
        run(application -> {
            WebClient client = client(application);
            for (int i = 0; i < 12; i++) {
                assertThatThrownBy(() -> client.get()
                                .exchangeToMono(answer -> Mono.never().then(answer.bodyToMono(String.class)))
                                .timeout(Duration.ofMillis(50))
                                .block())
                        .hasRootCauseInstanceOf(java.util.concurrent.TimeoutException.class);
            }
            assertThatAllConnectionsAreFree();
        });
    }

    @Test
    void failingCallsLeaveAllConnectionsFree() {
        server.otherwise(answer(503, "x".repeat(10_000)));
        run(application -> {
            WebClient client = client(application);
            Flux.range(0, CALLS)
                    .flatMap(
                            i -> i % 2 == 0
                                    ? client.get().exchangeToMono(ClientResponse::toBodilessEntity)
                                    : client.get()
                                            .retrieve()
                                            .bodyToMono(String.class)
                                            .onErrorComplete(),
                            8)
                    .blockLast(Duration.ofMinutes(2));
            assertThatAllConnectionsAreFree();
            assertThat(server.openConnections()).isLessThanOrEqualTo(4);
        });
    }

    @Test
    void failedAnswersThatAreTooLongForTheCodecsLeaveAllConnectionsFree() {
        server.otherwise(answer(503, "x".repeat(300_000)));
        run(application -> {
            WebClient client = client(application);
            Flux.range(0, 30)
                    .flatMap(
                            i -> client.get()
                                    .exchangeToMono(ClientResponse::toBodilessEntity)
                                    .onErrorComplete(),
                            8)
                    .blockLast(Duration.ofMinutes(2));
            assertThat(server.requests()).hasSize(90);
            assertThatAllConnectionsAreFree();
        });
    }
}
