package dev.resilience.spring.web;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.reactor.netty.NettyServerCustomizer;
import org.springframework.context.annotation.Bean;

/** With WebFlux, on Netty. */
class ReactiveRetryRefusalsTests extends RetryRefusalsContract {

    ReactiveRetryRefusalsTests() {
        super(WebApplicationType.REACTIVE, NewConnections.class);
    }

    /** WebFlux shows the failure to nothing but the handler; a controller there returns a publisher. */
    @Test
    void anAnswerOfTheApplicationsOwnHandlerDoesNotHaveItWhereTheControllerThrows() {
        assertThat(get("/handled")).isEqualTo("503 []");
    }

    /** Reactor Netty at times leaves a request unread whose connection's last answer came from another thread. */
    static class NewConnections {

        @Bean
        NettyServerCustomizer forEachRequest() {
            return server -> server.maxKeepAliveRequests(1);
        }
    }
}
