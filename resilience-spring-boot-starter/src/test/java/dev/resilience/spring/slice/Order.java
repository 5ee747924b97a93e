package dev.resilience.spring.slice;

import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;

@Entity
@Table(name = "slice_order")
class Order {

    @Id
    private String id = "";

    /** For JPA. */
    protected Order() {}

    Order(String id) {
        this.id = id;
    }

    String id() {
        return id;
    }
}
