package dev.resilience.spring.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.bulkhead.BulkheadPolicy;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.ResilienceConfigurationException;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceHttpClientAutoConfiguration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.HttpClientAutoConfiguration;
import org.springframework.boot.http.client.autoconfigure.imperative.ImperativeHttpClientAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.restclient.autoconfigure.RestClientAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ReactiveWebApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.http.HttpMethod;
import org.springframework.util.StringUtils;
import org.springframework.web.client.RestClient;

/** What entries of {@code resilience.http-client} inherit and use, and what is wrong with others. */
class HttpClientStartupTests {

    private static final String ENTRY = "resilience.http-client.";

    private static String failure(String... properties) {
        String[] text = {""};
        Clients.REST_CLIENT_ON_JDK.application(properties).run(application -> {
            assertThat(application).hasFailed();
            assertThat(application.getStartupFailure())
                    .isInstanceOfSatisfying(
                            ResilienceConfigurationException.class,
                            failed -> text[0] = failed.getMessage() + "\n" + failed.action());
        });
        return text[0];
    }

    private static List<String> warnings(String... properties) {
        List<String> all = new ArrayList<>();
        Clients.REST_CLIENT_ON_JDK.application(properties).run(application -> {
            assertThat(application).hasNotFailed();
            all.addAll(application.getBean(StartupWarnings.class).all());
        });
        return all;
    }

    @Test
    void aTieIsRefusedWithBothNamesAndPlaces() {
        assertThat(failure(ENTRY + "payments.hosts=*.example.com", ENTRY + "stock.hosts=api.org,*.Example.com"))
                .contains("'payments'", "'stock'", "'*.example.com'")
                .contains(ENTRY + "payments.hosts", ENTRY + "stock.hosts");
    }

    @Test
    void allProblemsAreReportedTogetherWithTheNearestNames() {
        assertThat(failure(
                        ENTRY + "payments.hosts=https://api.example.com/pay",
                        ENTRY + "stock.hosts=stock",
                        ENTRY + "stock.retry=bakend",
                        ENTRY + "tax.hosts=tax",
                        ENTRY + "tax.circuit-breaker=none-such",
                        ENTRY + "tax.bulkheads=backend",
                        ENTRY + "tax.stale-if-error=-1s"))
                .contains("https://api.example.com/pay", "without scheme and path")
                .contains("'bakend'", "Did you mean 'backend'?")
                .contains(ENTRY + "tax.bulkheads", "Did you mean 'bulkhead'?")
                .contains(ENTRY + "tax.stale-if-error");
    }

    @Test
    void anEntryThatExtendsWhatDoesNotExistIsRefused() {
        assertThat(failure(ENTRY + "payments.hosts=pay", ENTRY + "stock.extends=paymnts"))
                .contains("paymnts", "Did you mean 'payments'?");
    }

    @Test
    void theUsersOfPoliciesAreTheEntriesThatHaveHosts() {
        Clients.REST_CLIENT_ON_JDK
                .application(
                        ENTRY + "default.retry=backend",
                        ENTRY + "default.time-limit=short",
                        ENTRY + "payments.hosts=pay.example.com",
                        ENTRY + "payments.circuit-breaker=payments",
                        ENTRY + "payments.bulkhead=payments",
                        ENTRY + "payments.stale-if-error=10m",
                        ENTRY + "stock.extends=payments",
                        ENTRY + "stock.hosts=stock.example.com",
                        ENTRY + "stock.stale-if-error=5m",
                        "resilience.retry.backend.budget=shared",
                        "resilience.retry-budget.shared.max-ratio=0.2",
                        "resilience.time-limit.short.timeout=1s",
                        "resilience.circuit-breaker.payments.open-duration=9s",
                        "resilience.bulkhead.payments.max-concurrent=5")
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    LiveRegistry live = application.getBean(LiveRegistry.class);
                    List<String> both = List.of("http-client payments", "http-client stock");
                    assertThat(live.usedBy("retry", "backend")).isEqualTo(both);
                    assertThat(live.usedBy("retry-budget", "shared")).isEqualTo(both);
                    assertThat(live.usedBy("time-limit", "short")).isEqualTo(both);
                    assertThat(live.usedBy("circuit-breaker", "payments")).isEqualTo(both);
                    assertThat(live.usedBy("bulkhead", "payments")).isEqualTo(both);
                    assertThat(live.usedBy("http-client", "stock")).containsExactly("stock.example.com");
                    assertThat(application.getBean(StartupWarnings.class).all()).isEmpty();

                    HttpClientPolicy stock = application
                            .getBean(ResilienceRegistry.class)
                            .get(HttpClient.class, "stock")
                            .policy();
                    assertThat(stock.circuitBreaker()).isEqualTo("payments");
                    assertThat(stock.staleIfError()).isEqualTo(Duration.ofMinutes(5));
                });
    }

    @Test
    void aPolicyThatIsSwitchedOffIsLeftOut() {
        try (RawServer server = new RawServer().otherwise(RawServer.answer(503, "down"))) {
            Clients.REST_CLIENT_ON_JDK
                    .application(
                            ENTRY + "stock.hosts=127.0.0.1",
                            ENTRY + "stock.retry=backend",
                            "resilience.retry.backend.enabled=false")
                    .run(application -> {
                        assertThat(application).hasNotFailed();
                        Clients.REST_CLIENT_ON_JDK.send(application, HttpMethod.GET, server.url(), null);
                        assertThat(server.requests()).hasSize(1);
                        assertThat(application.getBean(StartupWarnings.class).all())
                                .isEmpty();
                    });
        }
    }

    @Test
    void anEmptyValueDropsWhatAnEntryInherits() {
        Clients.REST_CLIENT_ON_JDK
                .application(ENTRY + "default.retry=backend", ENTRY + "stock.hosts=stock", ENTRY + "stock.retry=")
                .run(application -> {
                    assertThat(application).hasNotFailed();
                    assertThat(application.getBean(LiveRegistry.class).usedBy("retry", "backend"))
                            .isEmpty();
                });
    }

    @Test
    void whatHasNoEffectIsAWarning() {
        assertThat(warnings(
                        ENTRY + "payments.retry=backend",
                        ENTRY + "stock.hosts=stock",
                        ENTRY + "stock.per-host=true",
                        ENTRY + "tax.hosts=tax",
                        ENTRY + "tax.retry=kept",
                        "resilience.retry.kept.dead-letter=true"))
                .anyMatch(warning -> warning.contains(ENTRY + "payments.retry") && warning.contains("no hosts"))
                .anyMatch(warning -> warning.contains(ENTRY + "stock.per-host"))
                .anyMatch(warning -> warning.contains("'tax'") && warning.contains("dead-letter"));
    }

    @Test
    void aTimeLimitAroundTheRetriesThatIsShorterThanTheirWaitsIsAWarning() {
        String[] entry = {
            ENTRY + "stock.hosts=stock",
            ENTRY + "stock.retry=slow",
            ENTRY + "stock.time-limit=short",
            "resilience.retry.slow.backoff.base-delay=2s",
            "resilience.time-limit.short.timeout=3s",
            "resilience.order=idempotent,bulkhead,circuit-breaker,time-limit,retry"
        };
        assertThat(warnings(entry)).singleElement().asString().contains("'stock'", "'short'");

        assertThat(warnings(StringUtils.addStringToArray(entry, "resilience.retry.slow.max-duration=2s")))
                .isEmpty();

        entry[5] = "resilience.enabled=true";
        assertThat(warnings(entry)).isEmpty();
    }

    @Test
    void withoutTheModulesOfSpringBootsClientsTheBeansAreThereAndAWarningSaysSo() {
        try (RawServer server = new RawServer().then(RawServer.answer(503, "down"))) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            AopAutoConfiguration.class,
                            ResilienceAutoConfiguration.class,
                            ResilienceHttpClientAutoConfiguration.class))
                    .withClassLoader(new FilteredClassLoader(
                            "org.springframework.boot.restclient", "org.springframework.boot.webclient"))
                    .withPropertyValues(
                            ENTRY + "stock.hosts=127.0.0.1",
                            ENTRY + "stock.retry=backend",
                            "resilience.retry.backend.backoff.base-delay=0")
                    .run(application -> {
                        assertThat(application).hasNotFailed();
                        RestClient client = RestClient.builder()
                                .requestInterceptor(application.getBean(ResilienceHttpInterceptor.class))
                                .build();
                        assertThat(client.get().uri(server.url()).retrieve().body(String.class))
                                .isEqualTo("good");
                        assertThat(application).hasSingleBean(ResilienceExchangeFilter.class);
                        assertThat(application.getBean(StartupWarnings.class).all())
                                .singleElement()
                                .asString()
                                .contains("'stock'", "spring-boot-restclient", "spring-boot-webclient")
                                .contains("[client-without-module]");
                    });
        }
    }

    @Test
    void blockingClientsOfAReactiveApplicationHaveNoRetriesOfTheirOwnEither() {
        try (RawServer server = new RawServer().otherwise(RawServer.answer(503, "down"))) {
            new ReactiveWebApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            AopAutoConfiguration.class,
                            ResilienceAutoConfiguration.class,
                            ResilienceHttpClientAutoConfiguration.class,
                            HttpClientAutoConfiguration.class,
                            ImperativeHttpClientAutoConfiguration.class,
                            HttpMessageConvertersAutoConfiguration.class,
                            RestClientAutoConfiguration.class))
                    .withPropertyValues(ENTRY + "stock.hosts=127.0.0.1", "resilience.idempotency-store.type=memory")
                    .run(application -> {
                        RestClient client =
                                application.getBean(RestClient.Builder.class).build();
                        assertThat(client.post()
                                        .uri(server.url())
                                        .retrieve()
                                        .onStatus(status -> true, (request, answer) -> {})
                                        .toBodilessEntity()
                                        .getStatusCode()
                                        .value())
                                .isEqualTo(503);
                        assertThat(server.requests()).hasSize(1);
                    });
        }
    }

    /** Whose policy is made of what it has a client for. */
    static class Prices {

        private final RestClient client;

        Prices(RestClient.Builder builder) {
            this.client = builder.build();
        }

        @Bean
        BulkheadPolicy prices() {
            return BulkheadPolicy.builder()
                    .maxConcurrent(client == null ? 1 : 2)
                    .build();
        }
    }

    @ParameterizedTest
    @EnumSource
    void aClientMayBeBuiltBeforeThePoliciesAreMade(Clients client) {
        client.application(ENTRY + "stock.hosts=127.0.0.1", ENTRY + "stock.bulkhead=prices")
                .withUserConfiguration(Prices.class)
                .run(application -> assertThat(application).hasNotFailed());
    }
}
