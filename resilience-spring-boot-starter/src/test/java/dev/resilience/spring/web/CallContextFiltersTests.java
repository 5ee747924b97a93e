package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.resilience.context.Attempt;
import dev.resilience.context.CallContext;
import dev.resilience.context.Deadline;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.properties.ResilienceProperties;
import dev.resilience.spring.reactor.ReactiveCallContext;
import dev.resilience.time.ManualTimeSource;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.core.Ordered;
import org.springframework.mock.http.server.reactive.MockServerHttpRequest;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.mock.web.server.MockServerWebExchange;
import org.springframework.web.context.request.ServletWebRequest;
import reactor.core.publisher.Mono;

/** What the filters do to the thread, and where they stand. */
class CallContextFiltersTests {

    private final ManualTimeSource time = new ManualTimeSource();
    private final ResilienceProperties.Deadline settings =
            new ResilienceProperties.Deadline(true, Duration.ZERO, "X-Time", Duration.ofMillis(100));
    private final CallContextServletFilter filter =
            new CallContextServletFilter(new CallContextExtractor(settings, time, true));
    private final StartupWarnings warnings = new StartupWarnings();
    private final CallContext ofThread =
            new CallContext(Deadline.in(Duration.ofMinutes(1), time), Attempt.of("a test", 7, null));
    private final List<CallContext> seen = new ArrayList<>();
    private final MockHttpServletRequest request = new MockHttpServletRequest();

    @BeforeEach
    void prepare() {
        request.addHeader("X-Time", "1500");
        request.addHeader("X-Attempt-Number", "2");
        ofThread.makeCurrent();
    }

    @AfterEach
    void leaveTheThread() {
        CallContext.NONE.makeCurrent();
    }

    @Test
    void afterTheRequestTheThreadHasWhatItHadBefore() throws Exception {
        filter.doFilter(request, new MockHttpServletResponse(), (same, response) -> seen.add(CallContext.current()));

        assertThat(seen.get(0).deadline().left()).isEqualTo(Duration.ofMillis(1500));
        assertThat(seen.get(0).attempt().number()).isEqualTo(2);
        assertThat(CallContext.current()).isEqualTo(ofThread);
    }

    @Test
    void afterAFailureToo() {
        FilterChain failing = (same, response) -> {
            throw new ServletException("broken");
        };

        assertThat(catchThrowable(() -> filter.doFilter(request, new MockHttpServletResponse(), failing)))
                .hasMessage("broken");
        assertThat(CallContext.current()).isEqualTo(ofThread);
    }

    @Test
    void aCallableHasAllOfItAndLeavesNothing() throws Exception {
        CallContextServletFilter.OnOtherThreads callables = new CallContextServletFilter.OnOtherThreads();
        filter.doFilter(request, new MockHttpServletResponse(), (same, response) -> seen.add(CallContext.current()));

        callables.preProcess(new ServletWebRequest(request), () -> "unused");
        seen.add(CallContext.current());
        callables.postProcess(new ServletWebRequest(request), () -> "unused", null);

        assertThat(seen.get(1)).isEqualTo(seen.get(0));
        assertThat(CallContext.current()).isEqualTo(CallContext.NONE);
    }

    @Test
    void theyComeBeforeOthersThatTakeTime() {
        assertThat(filter.getOrder()).isLessThan(Ordered.HIGHEST_PRECEDENCE + 100);
        assertThat(webFilter(true).getOrder()).isLessThan(Ordered.HIGHEST_PRECEDENCE + 100);
    }

    @Test
    void aReactiveRequestThatReachesNoMethodIsWarnedOfOnce() {
        CallContextWebFilter unheard = webFilter(false);

        handle(unheard, MockServerHttpRequest.get("/"));
        assertThat(warnings.all()).isEmpty();

        handle(unheard, MockServerHttpRequest.get("/").header("X-Time", "100"));
        handle(unheard, MockServerHttpRequest.get("/").header("X-Attempt-Number", "2"));
        assertThat(warnings.all())
                .singleElement()
                .asString()
                .contains("context-propagation: auto", "[context-not-propagated]");
    }

    @Test
    void twoDeadlinesOfAReactiveRequestAreNone() {
        List<Object> written = new ArrayList<>();
        MockServerHttpRequest.BaseBuilder<?> twice =
                MockServerHttpRequest.get("/").header("X-Time", "100", "200");

        webFilter(true)
                .filter(
                        MockServerWebExchange.from(twice),
                        exchange -> Mono.deferContextual(context -> {
                            written.add(context.get(ReactiveCallContext.KEY));
                            return Mono.empty();
                        }))
                .block();

        assertThat(written).containsExactly(CallContext.NONE);
    }

    private CallContextWebFilter webFilter(boolean reachMethods) {
        return new CallContextWebFilter(new CallContextExtractor(settings, time, reachMethods), warnings);
    }

    private static void handle(CallContextWebFilter filter, MockServerHttpRequest.BaseBuilder<?> request) {
        filter.filter(MockServerWebExchange.from(request), exchange -> Mono.empty())
                .block();
    }
}
