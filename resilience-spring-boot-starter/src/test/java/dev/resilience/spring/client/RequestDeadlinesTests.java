package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.context.Deadline;
import dev.resilience.exception.DeadlineExceededException;
import dev.resilience.exception.TimeLimitExceededException;
import java.time.Duration;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.http.HttpMethod;

/** What a request says about its attempt and the time that is left, and how long it takes at the most. */
class RequestDeadlinesTests {

    private static final Duration SOON = Duration.ofMillis(300);

    private final RawServer server = new RawServer();

    @AfterEach
    void close() {
        server.close();
    }

    private void run(Clients client, ContextConsumer<AssertableApplicationContext> use, String... properties) {
        client.application(
                        "resilience.http-client.backend.hosts=127.0.0.1",
                        "resilience.http-client.backend.retry=backend",
                        "resilience.http-client.limited.hosts=localhost",
                        "resilience.http-client.limited.time-limit=short",
                        "resilience.time-limit.short.timeout=300ms",
                        "spring.http.clients.read-timeout=10s")
                .withPropertyValues(properties)
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    use.accept(application);
                });
    }

    @ParameterizedTest
    @EnumSource
    void theTimeThatIsLeftGoesAlongLessTheMargin(Clients client) {
        server.then(answer(503, "down"));
        run(client, application -> {
            Deadline.in(Duration.ofSeconds(20))
                    .call(() -> client.send(application, HttpMethod.GET, server.url(), null));
            Deadline.in(Duration.ofSeconds(20))
                    .call(() -> client.send(
                            application, HttpMethod.GET, server.url(), null, "X-Request-Deadline-Ms", "77"));
            client.send(application, HttpMethod.GET, server.url(), null, "X-Attempt-Number", "7");

            assertThat(server.headers("X-Request-Deadline-Ms").subList(0, 2))
                    .allSatisfy(left -> assertThat(Long.parseLong(left)).isBetween(5_000L, 19_900L));
            assertThat(server.headers("X-Request-Deadline-Ms").subList(2, 4)).containsExactly("77", null);
            assertThat(server.headers("X-Attempt-Number")).containsExactly("1", "2", "1", "7");
        });
    }

    @ParameterizedTest
    @EnumSource
    void nothingIsSentWhenNoTimeIsLeft(Clients client) {
        run(
                client,
                application -> assertThatThrownBy(() -> Deadline.in(Duration.ZERO)
                                .call(() -> client.send(application, HttpMethod.GET, server.url(), null)))
                        .isInstanceOf(DeadlineExceededException.class));
        assertThat(server.requests()).isEmpty();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"REST_CLIENT_ON_CONNECTIONS", "WEB_CLIENT_ON_APACHE"}) // cannot be interrupted; closes slowly
    void aRequestEndsWithTheDeadlineOrTheTimeLimit(Clients client) {
        run(client, application -> {
            client.send(application, HttpMethod.GET, server.url(), null); // what is made once takes its time
            server.otherwise(server.hang());
            assertThat(endsInTime(() ->
                            Deadline.in(SOON).call(() -> client.send(application, HttpMethod.GET, server.url(), null))))
                    .isInstanceOf(TimeLimitExceededException.class);
            assertThat(endsInTime(() ->
                            client.send(application, HttpMethod.GET, "http://localhost:" + server.port() + "/", null)))
                    .isInstanceOf(TimeLimitExceededException.class);
        });
    }

    /** The JDK's client can be interrupted while it reads from Java 20 on. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.MATCH_ANY,
            names = {"WEB_CLIENT_ON_[JR].*", "REST_CLIENT_ON_(APACHE|JETTY)"})
    void soDoesTheReadingOfABody(Clients client) {
        run(client, application -> {
            client.send(application, HttpMethod.GET, server.url(), null);
            server.otherwise((request, socket) -> {
                RawServer.write(socket, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab");
                return server.hang().to(request, socket);
            });
            assertThat(endsInTime(() ->
                            Deadline.in(SOON).call(() -> client.send(application, HttpMethod.GET, server.url(), null))))
                    .isInstanceOf(TimeLimitExceededException.class);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aReadTimeoutThatIsShorterThanTheTimeThatIsLeftHolds(Clients client) {
        server.otherwise(server.hang());
        run(
                client,
                application -> {
                    Deadline deadline = Deadline.in(Duration.ofSeconds(20));
                    assertThatThrownBy(() ->
                                    deadline.call(() -> client.send(application, HttpMethod.POST, server.url(), "pay")))
                            .isNotInstanceOf(TimeLimitExceededException.class);
                    assertThat(deadline.left()).isGreaterThan(Duration.ofSeconds(8));
                },
                "spring.http.clients.read-timeout=200ms");
    }

    private static Throwable endsInTime(ThrowingCallable request) {
        long start = System.nanoTime();
        Throwable failure = catchThrowable(request);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(SOON, Duration.ofSeconds(6));
        return failure;
    }
}
