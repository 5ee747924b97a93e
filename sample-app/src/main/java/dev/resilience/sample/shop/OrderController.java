package dev.resilience.sample.shop;

import com.fasterxml.jackson.annotation.JsonUnwrapped;
import java.net.URI;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.util.Assert;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PatchMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.server.ResponseStatusException;

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

    @PostMapping("/on-invoice")
    ResponseEntity<Order> placeOnInvoice(
            @RequestHeader("Idempotency-Key") String idempotencyKey, @RequestBody OrderRequest request) {
        Order order = service.placeOnInvoice(idempotencyKey, request);
        return ResponseEntity.created(URI.create("/orders/" + order.id())).body(order);
    }

    @GetMapping
    List<Order> all() {
        return orders.all();
    }

    @GetMapping("/{id}")
    ResponseEntity<Order> one(@PathVariable long id) {
        return orders.find(id)
                .map(OrderController::withVersion)
                .orElseGet(() -> ResponseEntity.notFound().build());
    }

    /** Exchanges the item if the order still has the version that the caller has seen. */
    @PatchMapping("/{id}")
    ResponseEntity<Order> exchange(
            @PathVariable long id,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String ifMatch,
            @RequestBody Exchange exchange) {
        if (ifMatch == null) {
            throw new ResponseStatusException(HttpStatus.PRECONDITION_REQUIRED, "If-Match is missing");
        }
        return orders.exchangeItem(id, versionIn(ifMatch), exchange.item())
                .map(OrderController::withVersion)
                .orElseThrow(() -> new ResponseStatusException(
                        HttpStatus.PRECONDITION_FAILED, "The order does not have this version"));
    }

    /** The invoice is paid. A repeated call gets the same answer. */
    @PutMapping("/{id}/paid")
    ResponseEntity<Order> pay(@PathVariable long id) {
        orders.pay(id);
        return one(id);
    }

    private static ResponseEntity<Order> withVersion(Order order) {
        return ResponseEntity.ok().eTag(String.valueOf(order.version())).body(order);
    }

    /** The version in an entity tag such as {@code "7"}; of any other text 0, a version that no order has. */
    private static int versionIn(String eTag) {
        return eTag.matches("\"[1-9]\\d{0,8}\"") ? Integer.parseInt(eTag.substring(1, eTag.length() - 1)) : 0;
    }

    /**
     * An order and what happened to it on its way. The story is told of this request, so that of a repeated request
     * says that the order came from the store.
     */
    record PlacedOrder(@JsonUnwrapped Order order, List<String> story) {}

    record Exchange(String item) {

        Exchange {
            Assert.hasText(item, "item is missing");
        }
    }
}
