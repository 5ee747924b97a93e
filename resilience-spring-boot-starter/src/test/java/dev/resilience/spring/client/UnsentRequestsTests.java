package dev.resilience.spring.client;

import static dev.resilience.spring.client.RawServer.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.event.RetryScheduled;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.http.HttpMethod;

/** A POST without a key is repeated where it is certain that nothing was sent, and nowhere else. */
class UnsentRequestsTests {

    private final RawServer server = new RawServer();
    private final AtomicInteger retries = new AtomicInteger();

    @AfterEach
    void close() {
        server.close();
    }

    private void run(Clients client, ContextConsumer<AssertableApplicationContext> use) {
        client.application(
                        "resilience.http-client.backend.hosts=127.0.0.1,*.invalid",
                        "resilience.http-client.backend.retry=backend")
                .withBean(ResilienceListener.class, () -> this::count)
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    use.accept(application);
                });
    }

    private void count(ResilienceEvent event) {
        if (event instanceof RetryScheduled) {
            retries.incrementAndGet();
        }
    }

    private int retriesOf(Clients client, ApplicationContext application, String url, @Nullable String body) {
        int before = retries.get();
        assertThatThrownBy(() -> client.send(application, HttpMethod.POST, url, body))
                .isNotNull();
        return retries.get() - before;
    }

    @ParameterizedTest
    @EnumSource
    void aPostThatFoundNoServerIsRepeated(Clients client) {
        run(client, application -> {
            assertThat(retriesOf(client, application, RawServer.refusing(), "charge"))
                    .isEqualTo(2);
            assertThat(retriesOf(client, application, RawServer.refusing(), null))
                    .isEqualTo(2);
            assertThat(retriesOf(client, application, "http://nosuch.invalid/", "charge"))
                    .isEqualTo(2);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aPostIsNotRepeatedWhereTheServerItWasSentOnToIsNotThere(Clients client) {
        run(client, application -> {
            for (String elsewhere : new String[] {RawServer.refusing(), "http://nosuch.invalid"}) {
                for (int status : new int[] {302, 303, 307}) {
                    for (String body : new String[] {"charge", null}) {
                        server.then(answer(status, "", "Location: " + elsewhere + "/charged"));
                        int before = server.requests().size();
                        try {
                            client.send(application, HttpMethod.POST, server.url(), body);
                        } catch (RuntimeException notThere) {
                            // unless the client returns the answer that redirects
                        }
                        assertThat(server.requests())
                                .as("%d to %s with body %s", status, elsewhere, body)
                                .hasSize(before + 1);
                    }
                }
            }
            assertThat(retriesOf(client, application, RawServer.refusing(), "charge"))
                    .isEqualTo(2);
        });
    }
}
