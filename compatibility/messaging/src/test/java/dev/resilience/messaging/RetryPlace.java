package dev.resilience.messaging;

import java.util.ArrayList;
import java.util.List;

/** Where a retry of three attempts is, and how often a backend that is down is called then for one message, as the docs say. */
enum RetryPlace {
    CONTAINER_ALONE(false, FailingBackend.class, "", 1, 1),
    ONE_ATTEMPT(true, FailingBackend.class, "max-attempts=1", 1, 1),
    LISTENER(true, FailingBackend.class, "", 3, 0),
    LISTENER_WITH_SUPPRESS(true, FailingBackend.class, "nested=suppress", 3, 1),
    CALLED_METHOD(false, FailingBackend.Retried.class, "", 3, 3),
    CALLED_METHOD_WITH_SUPPRESS(false, FailingBackend.Retried.class, "nested=suppress", 3, 1);

    final boolean isOnListener;
    final Class<?> backend;
    private final String property;
    private final int callsAtFirst;
    private final int callsLater;

    RetryPlace(boolean isOnListener, Class<?> backend, String property, int callsAtFirst, int callsLater) {
        this.isOnListener = isOnListener;
        this.backend = backend;
        this.property = property;
        this.callsAtFirst = callsAtFirst;
        this.callsLater = callsLater;
    }

    List<String> properties(String... more) {
        List<String> all = new ArrayList<>(FailingBackend.THREE_ATTEMPTS);
        if (!property.isEmpty()) {
            all.add("resilience.retry.default." + property);
        }
        all.addAll(List.of(more));
        return all;
    }

    /** @param deliveries how often the broker or the container delivers a message that fails */
    int calls(int deliveries) {
        return callsAtFirst + (deliveries - 1) * callsLater;
    }
}
