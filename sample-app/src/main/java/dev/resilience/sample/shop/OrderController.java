package dev.resilience.sample.shop;

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
    ResponseEntity<Order> place(
            @RequestHeader("Idempotency-Key") String idempotencyKey, @RequestBody OrderRequest request) {
        Order order = service.place(idempotencyKey, request);
        return ResponseEntity.created(URI.create("/orders/" + order.id())).body(order);
    }

    @GetMapping
    List<Order> all() {
        return orders.all();
    }

    @GetMapping("/{id}")
    ResponseEntity<Order> one(@PathVariable long id) {
        return ResponseEntity.of(orders.find(id));
    }
}
