package dev.resilience.sample.show;

import dev.resilience.bulkhead.Bulkhead;
import dev.resilience.circuitbreaker.CircuitBreaker;
import dev.resilience.circuitbreaker.CircuitBreakerStatus;
import dev.resilience.sample.gateway.Behaviour;
import dev.resilience.sample.gateway.Charges;
import dev.resilience.sample.gateway.PaymentGateway;
import dev.resilience.spring.ResilienceRegistry;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.scheduling.annotation.Scheduled;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** All that the page shows, in one answer; and its load. */
@RestController
class ShowController {

    private final PaymentGateway gateway;
    private final PaymentGateway twinGateway;
    private final UnprotectedTwin twin;
    private final OrderLog orders;
    private final Load load;
    private final CircuitBreaker breaker;
    private final Bulkhead bulkhead;

    ShowController(
            PaymentGateway gateway,
            @Qualifier("twinGateway") PaymentGateway twinGateway,
            UnprotectedTwin twin,
            OrderLog orders,
            Load load,
            ResilienceRegistry registry) {
        this.gateway = gateway;
        this.twinGateway = twinGateway;
        this.twin = twin;
        this.orders = orders;
        this.load = load;
        this.breaker = registry.circuitBreaker("gateway");
        this.bulkhead = registry.bulkhead("gateway");
    }

    @GetMapping("/show")
    Show show() {
        load.isWatched();
        return new Show(
                Instant.now(),
                gateway.behaviour(),
                load.ordersPerSecond,
                breaker.status(),
                new Side(bulkhead.running(), bulkhead.queued(), gateway.charges(), orders.minute.past()),
                new Side(
                        twin.threads.getActiveCount(),
                        twin.threads.getQueue().size(),
                        twinGateway.charges(),
                        twin.minute.past()),
                orders.rows());
    }

    @PutMapping("/show/load")
    void load(@RequestBody Wanted wanted) {
        load.set(wanted.ordersPerSecond());
    }

    @Scheduled(fixedRate = 1000)
    void nextSecond() {
        orders.minute.add(breaker.currentState().name(), 1);
        orders.minute.next();
        twin.minute.next();
    }

    record Wanted(int ordersPerSecond) {}

    /** One of the two shops: calls of the gateway that run, orders that wait, what was charged, the last minute. */
    record Side(int running, int waiting, Charges charges, List<Map<String, Integer>> seconds) {}

    record Show(
            Instant now,
            Behaviour behaviour,
            int load,
            CircuitBreakerStatus breaker,
            Side shop,
            Side twin,
            List<OrderLog.Row> orders) {}
}
