package dev.resilience.sample.show;

import dev.resilience.event.CallQueued;
import dev.resilience.event.CallRejected;
import dev.resilience.event.CircuitStateChanged;
import dev.resilience.event.IdempotencyDecided;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.event.ResilienceEvent;
import dev.resilience.event.ResilienceListener;
import dev.resilience.event.RetryScheduled;
import java.util.EnumSet;
import java.util.Set;
import org.springframework.stereotype.Component;
import org.springframework.web.client.RestClient;
import org.springframework.web.client.support.RestClientHttpServiceGroupConfigurer;

/** Counts in which second which annotation has acted, and the calls of the gateway, each attempt for itself. */
@Component
class Acts implements ResilienceListener, RestClientHttpServiceGroupConfigurer {

    private static final Set<IdempotencyOutcome> UNDISTURBED =
            EnumSet.of(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.RELEASED);

    private final Minute minute;

    Acts(OrderLog orders) {
        minute = orders.minute;
    }

    @Override
    public void configureGroups(Groups<RestClient.Builder> groups) {
        groups.forEachClient((group, client) -> client.requestInterceptor((request, body, execution) -> {
            minute.add("calls", 1);
            return execution.execute(request, body);
        }));
    }

    @Override
    public void onEvent(ResilienceEvent event) {
        if (event instanceof RetryScheduled
                || event instanceof CallRejected
                || event instanceof CallQueued
                || event instanceof CircuitStateChanged
                || (event instanceof IdempotencyDecided decided && !UNDISTURBED.contains(decided.outcome()))) {
            minute.add(event.kind(), 1);
        }
    }
}
