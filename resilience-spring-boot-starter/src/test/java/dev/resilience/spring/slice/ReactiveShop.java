package dev.resilience.spring.slice;

import dev.resilience.annotation.Retryable;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.Callee;
import java.net.ConnectException;
import java.time.Duration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import reactor.core.publisher.Mono;

@RestController
class ReactiveShop {

    private final Callee callee;

    ReactiveShop(Callee callee) {
        this.callee = callee;
    }

    @Retryable("slice")
    @GetMapping("/reactive/sell")
    String sell() throws ConnectException {
        return callee.call();
    }

    @GetMapping("/reactive/refuse")
    Mono<String> refuse() {
        return Mono.error(new CircuitOpenException("shop", Duration.ofSeconds(7)));
    }
}
