package dev.resilience.spring.actuate;

import dev.resilience.circuitbreaker.CircuitBreaker;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What operators do with a circuit breaker. */
final class CircuitBreakerActions {

    static final List<String> ALL = List.of("open", "half-open", "force-open", "close", "disable", "reset");

    private CircuitBreakerActions() {}

    static void act(CircuitBreaker breaker, @Nullable String action) {
        switch (action == null ? "" : action) {
            case "open" -> breaker.open();
            case "half-open" -> breaker.halfOpen();
            case "force-open" -> breaker.forceOpen();
            case "close" -> breaker.close();
            case "disable" -> breaker.disable();
            case "reset" -> breaker.reset();
            default -> throw EndpointRefusal.badAction(action, ALL);
        }
    }
}
