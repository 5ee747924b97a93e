package dev.resilience.spring.web;

import org.springframework.boot.WebApplicationType;

/** With WebFlux, on Netty. */
class DeadlineOfReactiveRequestsTests extends DeadlineOfRequestsContract {

    DeadlineOfReactiveRequestsTests() {
        super(WebApplicationType.REACTIVE);
    }
}
