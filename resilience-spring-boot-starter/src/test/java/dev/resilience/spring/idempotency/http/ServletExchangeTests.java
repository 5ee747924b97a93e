package dev.resilience.spring.idempotency.http;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.resilience.spring.idempotency.http.Requests.Exchange;
import dev.resilience.spring.idempotency.http.Requests.ServletExchange;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.context.request.RequestContextHolder;
import org.springframework.web.context.request.ServletRequestAttributes;
import org.springframework.web.context.request.async.DeferredResult;
import org.springframework.web.context.request.async.StandardServletAsyncWebRequest;
import org.springframework.web.context.request.async.WebAsyncManager;
import org.springframework.web.context.request.async.WebAsyncUtils;

/** A replay may come when its request is over and the server has given the objects of it to another one. */
class ServletExchangeTests {

    private static final String HEADER = "Idempotency-Replayed";

    private final MockHttpServletRequest request = new MockHttpServletRequest() {
        @Override
        public @Nullable Object getAttribute(String name) {
            if (isRecycled) {
                throw new IllegalStateException("The request object has been recycled");
            }
            return super.getAttribute(name);
        }
    };
    private final MockHttpServletResponse response = new MockHttpServletResponse() {
        @Override
        public void setHeader(String name, @Nullable String value) {
            isRecycled |= endsMeanwhile;
            if (isRecycled) {
                throw new IllegalStateException("The response object has been recycled");
            }
            super.setHeader(name, value);
        }
    };
    private boolean isRecycled;
    private boolean endsMeanwhile;

    private Runnable begin() {
        ServletRequestAttributes attributes = new ServletRequestAttributes(request, response);
        RequestContextHolder.setRequestAttributes(attributes);
        try {
            Exchange exchange = Objects.requireNonNull(ServletExchange.current(true));
            return () -> exchange.replay(null, Map.of(HEADER, "true"));
        } finally {
            RequestContextHolder.resetRequestAttributes();
        }
    }

    @AfterEach
    void reset() {
        RequestContextHolder.resetRequestAttributes();
    }

    @Test
    void theAnswerToTheRequestSaysIt() {
        Runnable first = begin();
        Runnable second = begin();
        first.run();
        assertThat(response.getHeader(HEADER)).isEqualTo("true");
        response.reset();
        second.run();
        assertThat(response.getHeader(HEADER)).isEqualTo("true");
    }

    @Test
    void theAnswerToTheNextRequestDoesNot() {
        Runnable late = begin();
        request.clearAttributes();
        late.run();
        assertThat(response.containsHeader(HEADER)).isFalse();

        begin();
        late.run();
        assertThat(response.containsHeader(HEADER)).isFalse();
    }

    /** Whoever gave it: a limit of time, the application, or the server because the client is gone. */
    @Test
    void anotherAnswerToTheRequestDoesNot() throws Exception {
        request.setAsyncSupported(true);
        WebAsyncManager manager = WebAsyncUtils.getAsyncManager(request);
        manager.setAsyncWebRequest(new StandardServletAsyncWebRequest(request, response));
        Runnable late = begin();
        DeferredResult<String> handled = new DeferredResult<>();
        manager.startDeferredResultProcessing(handled);

        handled.setErrorResult("too late");
        late.run();

        assertThat(response.containsHeader(HEADER)).isFalse();
    }

    /** As Tomcat's are. */
    @Test
    void aRequestThatIsNoLongerThereFailsNothing() {
        Runnable late = begin();
        isRecycled = true;
        late.run();
        assertThat(response.containsHeader(HEADER)).isFalse();
    }

    @Test
    void norDoesOneThatEndsMeanwhile() {
        endsMeanwhile = true;
        begin().run();
        assertThat(response.containsHeader(HEADER)).isFalse();
    }

    /** What a filter of the application throws is no sign of an end. */
    @Test
    void otherFailuresAreNotHidden() {
        ServletRequestAttributes attributes = new ServletRequestAttributes(request, new MockHttpServletResponse() {
            @Override
            public void setHeader(String name, @Nullable String value) {
                throw new IllegalStateException("not allowed");
            }
        });
        RequestContextHolder.setRequestAttributes(attributes);
        assertThatIllegalStateException()
                .isThrownBy(() ->
                        Objects.requireNonNull(ServletExchange.current(true)).replay(null, Map.of(HEADER, "true")))
                .withMessage("not allowed");
    }

    @Test
    void withoutARequestThereIsNothingToSay() {
        assertThat(ServletExchange.current(true)).isNull();
    }
}
