package dev.resilience.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.RefusingPort;
import dev.resilience.spring.client.CutServer.Point;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpMethod;

/** A socket can be cut at twelve points: none of them lets the server see a POST without a key twice. */
class CutConnectionsTests {

    /** Rounds of 23 POSTs, of which 12 are cut: nine clients send ten thousand of them in a long run. */
    private static final int ROUNDS = "long".equals(System.getProperty("stress")) ? 49 : 2;

    private final CutServer server = new CutServer();

    @AfterEach
    void close() {
        server.close();
    }

    /** Returns whether the caller got the answer. */
    private static boolean post(
            Clients client, ApplicationContext application, String url, String id, @Nullable String key) {
        try {
            Clients.Answer answer = key == null
                    ? client.send(application, HttpMethod.POST, url, id)
                    : client.send(application, HttpMethod.POST, url, id, "Idempotency-Key", key);
            return "good".equals(answer.body());
        } catch (RuntimeException cut) {
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WEB_CLIENT_ON_JETTY") // see Clients
    void noPostWithoutAKeyHasItsEffectTwice(Clients client) {
        client.run(application -> {
            List<String> good = new ArrayList<>();
            for (int i = 0; i < ROUNDS; i++) {
                for (Point point : Point.values()) {
                    String id = point + "-" + i;
                    server.cutNext(point);
                    boolean isAnswered = post(client, application, server.url(), id, null);
                    for (int more = 0; server.isToCut() && more < 3; more++) { // it went to a connection cut before
                        isAnswered = post(client, application, server.url(), id, null);
                    }
                    if (isAnswered) {
                        good.add(id);
                    }
                    assertThat(server.isToCut()).as(id).isFalse();
                    String next = "next-" + id; // some on the connection that was cut
                    if (post(client, application, server.url(), next, null)) {
                        good.add(next);
                    }
                }
                post(client, application, RefusingPort.url(), "refused-" + i, null);
            }

            assertThat(server.effects().values())
                    .allSatisfy(effects -> assertThat(effects).hasSize(1));
            assertThat(server.effects().keySet()).containsAll(good).allMatch(id -> !id.startsWith("refused"));
            assertThat(good).filteredOn(id -> id.startsWith("AFTER_RESPONSE-")).hasSize(ROUNDS);
        });
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "WEB_CLIENT_ON_JETTY") // see Clients
    void aPostWithAKeyIsRepeatedWithTheSameKey(Clients client) {
        client.run(application -> {
            for (Point point : Point.values()) {
                String id = point.name();
                server.cutNext(point);

                boolean isAnswered = post(client, application, server.url(), id, "\"key-of-" + id + "\"");

                // some clients take a status line for an answer
                assertThat(isAnswered || point.compareTo(Point.AFTER_REQUEST) > 0)
                        .as(id)
                        .isTrue();
                assertThat(server.effects().get(id))
                        .as(id)
                        .hasSize(
                                point == Point.AFTER_REQUEST
                                        ? 2
                                        : server.effects().get(id).size())
                        .hasSizeBetween(1, 2)
                        .containsOnly("\"key-of-" + id + "\"");
            }
        });
    }
}
