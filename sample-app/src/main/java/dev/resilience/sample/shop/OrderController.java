package dev.resilience.sample.shop;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.net.URI;
import java.util.List;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {

    private final OrderService service;
    private final OrderRepository orders;

    OrderController(OrderService service, OrderRepository orders) {
        this.service = service;
        this.orders = orders;
    }

    @PostMapping
    ResponseEntity<PlacedOrder> place(
            @RequestHeader("Idempotency-Key") String idempotencyKey, @RequestBody OrderRequest request) {
        Order order = service.place(idempotencyKey, request);
        return ResponseEntity.created(URI.create("/orders/" + order.id()))
                .body(new PlacedOrder(order, Story.ofThisRequest().inWords(null)));
    }

    @GetMapping
    List<Order> all() {
        return orders.all();
    }

    @GetMapping("/{id}")
    ResponseEntity<Order> one(@PathVariable long id) {
        return ResponseEntity.of(orders.find(id));
    }

    /**
     * An order and what happened to it on its way. The story is told of this request, so that of a repeated request
     * says that the order came from the store.
     */
    record PlacedOrder(@JsonUnwrapped Order order, List<String> story) {}
}
