package dev.resilience.sample.shop;

import java.util.List;
import java.util.Optional;
import org.springframework.jdbc.core.DataClassRowMapper;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** The orders in H2. */
@Repository
class OrderRepository {

    private static final RowMapper<Order> ORDER = new DataClassRowMapper<>(Order.class);

    private final JdbcClient jdbc;

    OrderRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    Order add(OrderRequest request, String paymentId) {
        return jdbc.sql("""
                        SELECT * FROM FINAL TABLE (
                            INSERT INTO orders (customer, item, amount, payment_id)
                            VALUES (:customer, :item, :amount, :paymentId))""")
                .param("customer", request.customer())
                .param("item", request.item())
                .param("amount", request.amount())
                .param("paymentId", paymentId)
                .query(ORDER)
                .single();
    }

    List<Order> all() {
        return jdbc.sql("SELECT * FROM orders ORDER BY id").query(ORDER).list();
    }

    Optional<Order> find(long id) {
        return jdbc.sql("SELECT * FROM orders WHERE id = :id")
                .param("id", id)
                .query(ORDER)
                .optional();
    }
}
