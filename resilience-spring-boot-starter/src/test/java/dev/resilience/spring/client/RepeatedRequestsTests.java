package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static dev.resilience.spring.client.RawServer.cut;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.spring.client.Clients.Answer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.http.HttpMethod;

/** Requests to the hosts of an entry are repeated where that is safe, by every client. */
class RepeatedRequestsTests {

    private final RawServer server = new RawServer();

    @AfterEach
    void close() {
        server.close();
    }

    @ParameterizedTest
    @EnumSource
    void aGetIsRepeatedAndItsAttemptsAreNumbered(Clients client) {
        server.then(answer(503, "down"), answer(429, "slower", "Retry-After: 0"));
        client.run(application -> {
            Answer answer = client.send(application, HttpMethod.GET, server.url() + "/prices", null);

            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body()).isEqualTo("good");
            assertThat(server.headers("X-Attempt-Number")).containsExactly("1", "2", "3");
        });
    }

    @ParameterizedTest
    @EnumSource
    void theAnswerOfTheLastAttemptIsTheCallers(Clients client) {
        server.otherwise(answer(503, "down", "X-Reason: maintenance"));
        client.run(application -> {
            Answer answer = client.send(application, HttpMethod.PUT, server.url(), "body");

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.body()).isEqualTo("down");
            assertThat(answer.headers().getFirst("X-Reason")).isEqualTo("maintenance");
            assertThat(answer.headers().getFirst("X-Resilience-Retry")).isEqualTo("exhausted");
            assertThat(server.requests())
                    .hasSize(3)
                    .allMatch(request -> request.body().equals("body"));
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WEB_CLIENT_ON_JETTY") // see Clients
    void aPostIsNotRepeatedOnceItWasSent(Clients client) {
        server.then(answer(503, "down"));
        client.run(application -> {
            assertThat(client.send(application, HttpMethod.POST, server.url(), "charge")
                            .status())
                    .isEqualTo(503);
            assertThat(server.requests()).hasSize(1);

            server.then(cut());
            assertThatThrownBy(() -> client.send(application, HttpMethod.POST, server.url(), "charge"))
                    .isNotNull();
            assertThat(server.requests()).hasSize(2);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WEB_CLIENT_ON_JETTY") // see Clients
    void aPostWithAKeyIsRepeated(Clients client) {
        server.then(answer(503, "down"), cut());
        client.run(application -> {
            Answer answer =
                    client.send(application, HttpMethod.POST, server.url(), "charge", "Idempotency-Key", "\"order-1\"");

            assertThat(answer.status()).isEqualTo(200);
            assertThat(server.headers("Idempotency-Key")).containsExactly("\"order-1\"", "\"order-1\"", "\"order-1\"");
            assertThat(server.requests()).allMatch(request -> request.body().equals("charge"));
        });
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerThatBlamesTheRequestIsFinal(Clients client) {
        server.then(answer(404, "none"));
        client.run(application -> {
            Answer answer = client.send(application, HttpMethod.GET, server.url(), null);

            assertThat(answer.status()).isEqualTo(404);
            assertThat(answer.body()).isEqualTo("none");
            assertThat(server.requests()).hasSize(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void otherHostsAreLeftAlone(Clients client) {
        server.then(answer(503, "down"));
        client.run(application -> {
            Answer answer = client.send(application, HttpMethod.GET, "http://localhost:" + server.port() + "/", null);

            assertThat(answer.status()).isEqualTo(503);
            assertThat(server.requests()).hasSize(1);
        });
    }

    @ParameterizedTest
    @EnumSource
    void anAnswerThatRefusesRetriesIsFinal(Clients client) {
        server.then(answer(503, "down", "X-Resilience-Retry: no"));
        client.run(application -> {
            Answer answer = client.send(application, HttpMethod.GET, server.url(), null);

            assertThat(answer.status()).isEqualTo(503);
            assertThat(answer.headers().getFirst("X-Resilience-Retry")).isEqualTo("no");
            assertThat(server.requests()).hasSize(1);
        });
    }
}
