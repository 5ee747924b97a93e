package dev.resilience.sample.shop;

import dev.resilience.sample.shop.Order.State;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
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

    Order add(OrderRequest request, State state, @Nullable String paymentId) {
        return jdbc.sql("""
                        SELECT * FROM FINAL TABLE (
                            INSERT INTO orders (customer, item, amount, state, payment_id)
                            VALUES (:customer, :item, :amount, :state, :paymentId))""")
                .param("customer", request.customer())
                .param("item", request.item())
                .param("amount", request.amount())
                .param("state", state.name())
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

    /** Needs no {@code @Idempotent}: the version is another one when the call is repeated. */
    Optional<Order> exchangeItem(long id, int version, String item) {
        return jdbc.sql("""
                        SELECT * FROM FINAL TABLE (
                            UPDATE orders SET item = :item, version = version + 1
                            WHERE id = :id AND version = :version)""")
                .param("item", item)
                .param("id", id)
                .param("version", version)
                .query(ORDER)
                .optional();
    }

    /** Needs no {@code @Idempotent}: the order is no longer PENDING when the call is repeated. */
    void pay(long id) {
        jdbc.sql("UPDATE orders SET state = 'PAID', version = version + 1 WHERE id = :id AND state = 'PENDING'")
                .param("id", id)
                .update();
    }
}
