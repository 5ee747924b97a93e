package dev.resilience.spring.slice;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.Callee;
import java.net.ConnectException;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
class OrderBook {

    private final Orders orders;
    private final Callee callee;

    OrderBook(Orders orders, Callee callee) {
        this.orders = orders;
        this.callee = callee;
    }

    @Idempotent(key = "#id")
    @Transactional
    public String book(String id) throws ConnectException {
        orders.saveAndFlush(new Order(id));
        return id + ", " + callee.call();
    }

    @Retryable("slice")
    public String look() throws ConnectException {
        return callee.call() + " of " + orders.count();
    }
}
