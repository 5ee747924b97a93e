package dev.resilience.spring.slice;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.exception.CircuitOpenException;
import dev.resilience.spring.Callee;
import java.net.ConnectException;
import java.time.Duration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

@RestController
class ServletShop {

    private final Callee callee;

    ServletShop(Callee callee) {
        this.callee = callee;
    }

    @Retryable("slice")
    @GetMapping("/sell")
    String sell() throws ConnectException {
        return callee.call();
    }

    @Idempotent(key = "#order")
    @PostMapping("/order")
    String order(@RequestParam String order) throws ConnectException {
        return callee.call();
    }

    @GetMapping("/refuse")
    String refuse() {
        throw new CircuitOpenException("shop", Duration.ofSeconds(7));
    }
}
