package dev.resilience.spring.actuate;

import static org.assertj.core.api.Assertions.assertThat;

import com.example.throttle.ThrottleKind;
import dev.resilience.annotation.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.pipeline.LiveObject;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceActuatorAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.kind.ConfiguredKind;
import dev.resilience.spring.kind.KindContext;
import dev.resilience.spring.kind.Shown;
import dev.resilience.time.ManualTimeSource;
import java.io.UnsupportedEncodingException;
import java.lang.annotation.Annotation;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.assertj.core.api.MapAssert;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.jackson.JacksonEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.endpoint.web.WebEndpointAutoConfiguration;
import org.springframework.boot.actuate.autoconfigure.web.server.ManagementContextAutoConfiguration;
import org.springframework.boot.http.converter.autoconfigure.HttpMessageConvertersAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.json.JsonParserFactory;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.webmvc.autoconfigure.DispatcherServletAutoConfiguration;
import org.springframework.boot.webmvc.autoconfigure.WebMvcAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.web.context.WebApplicationContext;

/** What the dashboard serves; how the page looks and works is tested in a browser, in the sample application. */
class DashboardTests {

    private static final String EXPOSED = "management.endpoints.web.exposure.include=resilience,resiliencedashboard";

    @Test
    void isOffUntilItIsExposed() {
        web("management.endpoints.web.exposure.include=resilience")
                .run(context -> assertThat(MockMvcTester.from(context).get().uri("/actuator/resiliencedashboard"))
                        .hasStatus(HttpStatus.NOT_FOUND));
    }

    @ParameterizedTest
    @CsvSource({
        "resiliencedashboard, text/html, text/html;charset=UTF-8",
        "resiliencedashboard/page.js, */*, text/javascript;charset=UTF-8",
        "resiliencedashboard/page.css, 'text/css,*/*;q=0.1', text/css;charset=UTF-8",
        "resiliencedashboard/data, application/json, application/json"
    })
    void eachPartHasItsType(String path, String accepted, String type) {
        web(EXPOSED)
                .run(context -> assertThat(MockMvcTester.from(context)
                                .get()
                                .uri("/actuator/" + path)
                                .header("Accept", accepted))
                        .hasStatusOk()
                        .hasContentType(type));
    }

    @Test
    void thePageLoadsNothingFromElsewhereAndRunsNoScriptOfItsOwn() {
        web(EXPOSED).run(context -> {
            assertThat(body(context, "resiliencedashboard"))
                    .contains("script-src 'self'", "src=\"resiliencedashboard/page.js\"")
                    .doesNotContain("http:", "https:", "<style", " style=", " onclick=")
                    .doesNotContainPattern("<script[^>]*>[^<]");
            assertThat(body(context, "resiliencedashboard/page.js")).doesNotContain("innerHTML", "https:", "eval(");
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/"})
    void thePageIsFoundAtAnotherPath(String slash) {
        web(
                        EXPOSED,
                        "management.endpoints.web.base-path=/manage",
                        "management.endpoints.web.path-mapping.resiliencedashboard=" + slash + "eyes/live",
                        "management.endpoints.web.path-mapping.resilience=" + slash + "eyes/policies")
                .run(context -> {
                    MockMvcTester mvc = MockMvcTester.from(context);
                    assertThat(mvc.get().uri("/manage/eyes/live")).bodyText().contains("src=\"live/page.js\"");
                    assertThat(mvc.get().uri("/manage/eyes/live/page.js")).hasStatusOk();
                    assertThat(mvc.get().uri("/manage/eyes/live/data"))
                            .bodyJson()
                            .hasPathSatisfying(
                                    "$.path", path -> path.assertThat().isEqualTo("eyes/live"))
                            .hasPathSatisfying(
                                    "$.endpoint", path -> path.assertThat().isEqualTo("eyes/policies"));
                });
    }

    @Test
    void aWebServerInAChildContextHasThePageOfTheParentsPolicies() {
        new ApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        ResilienceAutoConfiguration.class,
                        ResilienceActuatorAutoConfiguration.class,
                        EndpointAutoConfiguration.class))
                .withPropertyValues(EXPOSED, "resilience.bulkhead.orders.max-concurrent=7")
                .withBean(Shop.class)
                .withBean(ManualTimeSource.class, ManualTimeSource::new)
                .run(parent -> web(EXPOSED)
                        .withParent(parent.getSourceApplicationContext())
                        .run(context -> {
                            assertThat(body(context, "resiliencedashboard")).contains("resiliencedashboard/page.js");
                            assertThat(body(context, "resiliencedashboard/data"))
                                    .contains("\"orders\"");
                        }));
    }

    @ParameterizedTest
    @ValueSource(strings = {"page.html", "..%2fpage", "nothing", "Data"})
    void whatIsNoPartIsNotFound(String part) {
        web(EXPOSED)
                .run(context -> assertThat(
                                MockMvcTester.from(context).get().uri("/actuator/resiliencedashboard/" + part))
                        .hasStatus4xxClientError());
    }

    @ParameterizedTest
    @ValueSource(strings = {"since=abc", "since=99999999999999999999"})
    void aNumberThatIsNoneIsABadRequest(String query) {
        web(EXPOSED)
                .run(context -> assertThat(
                                MockMvcTester.from(context).get().uri("/actuator/resiliencedashboard/data?" + query))
                        .hasStatus(HttpStatus.BAD_REQUEST));
    }

    @Test
    void aPolicyHasTheValuesThatItsKindShows() {
        web(EXPOSED, "resilience.bulkhead.orders.max-concurrent=7")
                .withBean(Shop.class)
                .run(context -> {
                    assertThat(descriptor(data(context), "bulkhead", "shown"))
                            .asInstanceOf(InstanceOfAssertFactories.LIST)
                            .first()
                            .isEqualTo(Map.of("label", "running", "path", "running", "as", "LEVEL", "of", "limit"));
                    policy(data(context), "bulkhead", "orders")
                            .containsOnlyKeys("values")
                            .satisfies(row -> assertThat(row.get("values"))
                                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                                    .first()
                                    .isEqualTo(List.of(0, 7)));
                    policy(data(context), "bulkhead", "default").containsEntry("unused", true);
                });
    }

    @Test
    void aBreakerInTroubleSaysWhatSinceWhenWhyAndUntilWhen() {
        web(EXPOSED, "resilience.circuit-breaker.gateway.open-duration=30s").run(context -> {
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            registry.circuitBreaker("gateway").open();

            Map<String, Object> data = data(context);

            policy(data, "circuit-breaker", "gateway").containsEntry("trouble", "is open and refuses calls");
            assertThat(value(data, "circuit-breaker", "gateway", "since")).isEqualTo("2026-01-01T00:00:00.000Z");
            assertThat(value(data, "circuit-breaker", "gateway", "nextProbe")).isEqualTo("2026-01-01T00:00:30.000Z");
            assertThat(value(data, "circuit-breaker", "gateway", "reason")).isEqualTo("opened by hand");
        });
    }

    @Test
    void aPolicyThatDiffersFromItsConfigurationIsMarked() {
        web(EXPOSED, "resilience.bulkhead.orders.max-concurrent=7").run(context -> {
            context.getBean(ResilienceRegistry.class)
                    .reconfigure(dev.resilience.bulkhead.Bulkhead.class, "orders", Map.of("max-concurrent", 3));

            policy(data(context), "bulkhead", "orders").containsEntry("changed", true);
        });
    }

    @Test
    void onlyWhatIsNewIsSentToAPageThatKnowsTheRest() {
        web(EXPOSED).run(context -> {
            CircuitBreaker breaker = context.getBean(ResilienceRegistry.class).circuitBreaker("default");
            breaker.open();
            Map<String, Object> first = data(context);
            breaker.close();

            Map<String, Object> second = data(context, "?instance=" + first.get("instance") + "&since=1");
            Map<String, Object> unknown = data(context, "?instance=another&since=1");

            assertThat(first).containsKeys("kinds", "warnings");
            assertThat(numbers(first)).containsExactly(1);
            assertThat(second).doesNotContainKeys("kinds", "warnings");
            assertThat(numbers(second)).containsExactly(2);
            assertThat(unknown).containsKeys("kinds");
            assertThat(numbers(unknown)).containsExactly(1, 2);
        });
    }

    @Test
    void theLastHundredTransitionsAreKept() {
        web(EXPOSED).run(context -> {
            CircuitBreaker breaker = context.getBean(ResilienceRegistry.class).circuitBreaker("default");
            for (int i = 0; i < 100; i++) {
                breaker.open();
                breaker.close();
            }

            assertThat(numbers(data(context))).hasSize(100).startsWith(101).endsWith(200);
        });
    }

    @Test
    void aClockThatIsSetDoesNotMoveTheLines() {
        ManualTimeSource time = new ManualTimeSource();
        web(time, EXPOSED).run(context -> {
            long before = millis(context);
            time.shiftWallClock(Duration.ofDays(-1));
            time.advance(Duration.ofSeconds(1));

            assertThat(millis(context) - before).isEqualTo(1000);
        });
    }

    @Test
    void twoApplicationsInOneProcessShowTheirOwn() {
        web(EXPOSED)
                .run(one -> web(EXPOSED).run(other -> {
                    one.getBean(ResilienceRegistry.class)
                            .circuitBreaker("default")
                            .open();

                    policy(data(one), "circuit-breaker", "default").containsKey("trouble");
                    policy(data(other), "circuit-breaker", "default").doesNotContainKey("trouble");
                    assertThat(data(one).get("instance"))
                            .isNotEqualTo(data(other).get("instance"));
                }));
    }

    @ParameterizedTest
    @CsvSource({"UNRESTRICTED, true", "READ_ONLY, false"})
    void thePageKnowsWhetherItMayWrite(String access, boolean isWriteable) {
        web(EXPOSED, "management.endpoint.resilience.access=" + access)
                .run(context -> assertThat(data(context)).containsEntry("writeable", isWriteable));
    }

    @Test
    void thePageKnowsThatThePoliciesAreNotExposed() {
        web("management.endpoints.web.exposure.include=resiliencedashboard").run(context -> {
            assertThat(MockMvcTester.from(context).get().uri("/actuator/resilience"))
                    .hasStatus(HttpStatus.NOT_FOUND);
            assertThat(data(context)).doesNotContainKey("endpoint");
            policy(data(context), "retry", "default").containsKey("values");
        });
    }

    @Test
    void aKindThatSaysNothingShowsItsState() {
        web(EXPOSED, "resilience.throttle.partners.max-calls=2")
                .withBean(ThrottleKind.class)
                .run(context -> {
                    policy(data(context), "throttle", "partners").containsEntry("values", Map.of("refused", 0));
                    assertThat(descriptor(data(context), "throttle", "actions")).isEqualTo(List.of("restart"));
                });
    }

    @Test
    void whatCannotBeShownSaysSoAndTakesNothingElseAway() {
        web(EXPOSED, "resilience.fragile.good.size=1", "resilience.fragile.bad.size=2")
                .withBean(FragileKind.class)
                .run(context -> {
                    Map<String, Object> data = data(context);

                    policy(data, "fragile", "good").containsEntry("values", List.of(1));
                    policy(data, "fragile", "bad")
                            .containsEntry("problem", "java.lang.IllegalStateException: no state of bad");
                    policy(data, "circuit-breaker", "default").containsKey("values");
                });
    }

    @Test
    void whatJsonCannotWriteIsShownAsItsText() {
        web(EXPOSED, "resilience.fragile.odd.size=1", "resilience.fragile.mute.size=1", "resilience.fragile.bad.size=2")
                .withBean(FragileKind.class)
                .run(context -> {
                    Map<String, Object> data = data(context);
                    policy(data, "fragile", "odd").containsEntry("values", List.of("odd"));
                    policy(data, "fragile", "mute")
                            .containsEntry("problem", "java.lang.IllegalStateException: no text");

                    Map<String, Object> all = JsonParserFactory.getJsonParser().parseMap(body(context, "resilience"));
                    assertThat(state(all, "odd"))
                            .isEqualTo(Map.of("size", "odd", "parts", List.of(Map.of("number", 1, "thing", "odd"))));
                    assertThat(state(all, "mute"))
                            .isEqualTo(Map.of("problem", "java.lang.IllegalStateException: no text"));
                    assertThat(state(all, "bad"))
                            .isEqualTo(Map.of("problem", "java.lang.IllegalStateException: no state of bad"));
                    assertThat(body(context, "resilience/fragile/odd")).contains("\"policy\":{\"size\":1}");
                });
    }

    private static Object state(Map<String, Object> all, String name) {
        return ((Map<?, ?>) ((Map<?, ?>) all.get("fragile")).get(name)).get("state");
    }

    @Test
    void thePageOffersWhatMayChange() {
        web(EXPOSED, "resilience.retry.default.max-attempts=4").run(context -> {
            assertThat(descriptor(data(context), "retry", "changeable"))
                    .asInstanceOf(InstanceOfAssertFactories.LIST)
                    .contains("max-attempts", "backoff.base-delay", "retry-on-result")
                    .doesNotContain("worstCaseWait", "enabled", "extends", "budget", "retry-if");
            assertThat(descriptor(data(context), "hedge", "changeable"))
                    .isEqualTo(List.of("max-extra-load", "minimum-delay"));
            assertThat(descriptor(data(context), "dead-letter", "changeable")).isNull();
        });
    }

    @Test
    void aRegistryThatThrowsIsAProblemAndNoError() {
        ResilienceDashboard dashboard = new ResilienceDashboard(
                new ResilienceEndpoint(
                        () -> {
                            throw new IllegalStateException("<b>no</b> registry " + "x".repeat(9000));
                        },
                        null,
                        new EventLog(),
                        () -> null),
                "",
                () -> null,
                () -> (id, access) -> access);

        assertThat(dashboard.part("data", null, null).getBody())
                .asInstanceOf(InstanceOfAssertFactories.MAP)
                .hasEntrySatisfying(
                        "problem",
                        problem -> assertThat(problem)
                                .asString()
                                .startsWith("java.lang.IllegalStateException: <b>no</b> registry xxx")
                                .hasSizeLessThan(600));
    }

    @Test
    void twoThousandPoliciesAreShown() {
        web(EXPOSED, "resilience.registry.max-created=2000").run(context -> {
            ResilienceRegistry registry = context.getBean(ResilienceRegistry.class);
            for (int i = 0; i < 2000; i++) {
                registry.getOrCreate(CircuitBreaker.class, "<img src=x onerror=alert(" + i + ")> \"/" + i, "default");
            }

            assertThat(rows(data(context), "circuit-breaker")).hasSize(2001);
        });
    }

    static class Shop {

        @Bulkhead("orders")
        public String order() {
            return "done";
        }
    }

    /** What is configured. */
    record FragilePolicy(int size) {}

    private record Fragile(String name, FragilePolicy policy) implements LiveObject<FragilePolicy> {}

    private record Part(int number, Thing thing) {}

    /** Has no properties that JSON could write, and perhaps no text. */
    private static final class Thing {

        private final @Nullable String text;

        Thing(@Nullable String text) {
            this.text = text;
        }

        @Override
        public String toString() {
            if (text == null) {
                throw new IllegalStateException("no text");
            }
            return text;
        }
    }

    /** A kind whose state cannot always be read. */
    static final class FragileKind extends ConfiguredKind<Annotation, FragilePolicy, Fragile> {

        FragileKind() {
            super("fragile", null, null, new FragilePolicy(0));
        }

        @Override
        public Fragile create(String name, FragilePolicy policy, KindContext context) {
            return new Fragile(name, policy);
        }

        @Override
        public Map<String, Object> state(Fragile live) {
            if (live.name().equals("bad")) {
                throw new IllegalStateException("no state of bad");
            }
            return switch (live.name()) {
                case "odd" -> Map.of("size", new Thing("odd"), "parts", List.of(new Part(1, new Thing("odd"))));
                case "mute" -> Map.of("size", new Thing(null));
                default -> Map.of("size", live.policy().size());
            };
        }

        @Override
        public List<Shown> shown() {
            return List.of(new Shown("size", "size", Shown.As.AMOUNT));
        }
    }

    private static WebApplicationContextRunner web(String... properties) {
        return web(new ManualTimeSource(), properties);
    }

    private static WebApplicationContextRunner web(ManualTimeSource time, String... properties) {
        return new WebApplicationContextRunner()
                .withConfiguration(SortedOnce.of(
                        ResilienceAutoConfiguration.class,
                        ResilienceActuatorAutoConfiguration.class,
                        EndpointAutoConfiguration.class,
                        WebEndpointAutoConfiguration.class,
                        ManagementContextAutoConfiguration.class,
                        JacksonAutoConfiguration.class,
                        JacksonEndpointAutoConfiguration.class,
                        HttpMessageConvertersAutoConfiguration.class,
                        DispatcherServletAutoConfiguration.class,
                        WebMvcAutoConfiguration.class))
                .withBean(ManualTimeSource.class, () -> time)
                .withPropertyValues(properties);
    }

    private static String body(WebApplicationContext context, String path) throws UnsupportedEncodingException {
        return MockMvcTester.from(context)
                .get()
                .uri("/actuator/" + path)
                .exchange()
                .getResponse()
                .getContentAsString();
    }

    private static Map<String, Object> data(WebApplicationContext context) throws UnsupportedEncodingException {
        return data(context, "");
    }

    private static Map<String, Object> data(WebApplicationContext context, String query)
            throws UnsupportedEncodingException {
        return JsonParserFactory.getJsonParser().parseMap(body(context, "resiliencedashboard/data" + query));
    }

    private static long millis(WebApplicationContext context) throws UnsupportedEncodingException {
        return ((Number) data(context).get("millis")).longValue();
    }

    private static Map<?, ?> rows(Map<String, Object> data, String kind) {
        return (Map<?, ?>) ((Map<?, ?>) data.get("policies")).get(kind);
    }

    @SuppressWarnings("unchecked")
    private static MapAssert<String, Object> policy(Map<String, Object> data, String kind, String name) {
        return assertThat((Map<String, Object>) rows(data, kind).get(name));
    }

    private static Object descriptor(Map<String, Object> data, String kind, String field) {
        return ((Map<?, ?>) ((Map<?, ?>) data.get("kinds")).get(kind)).get(field);
    }

    private static Object value(Map<String, Object> data, String kind, String name, String path) {
        List<?> values = (List<?>) ((Map<?, ?>) rows(data, kind).get(name)).get("values");
        List<?> shown = (List<?>) descriptor(data, kind, "shown");
        return Stream.iterate(0, i -> i + 1)
                .limit(values.size())
                .filter(i -> path.equals(((Map<?, ?>) shown.get(i)).get("path")))
                .<Object>map(values::get)
                .findFirst()
                .orElseThrow();
    }

    private static List<Object> numbers(Map<String, Object> data) {
        return ((List<?>) data.get("events"))
                .stream()
                        .<Object>map(event -> ((Map<?, ?>) event).get("number"))
                        .toList();
    }
}
