package dev.resilience.sample;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import dev.resilience.sample.Shop.Answer;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.test.web.server.LocalServerPort;
import org.springframework.jdbc.core.simple.JdbcClient;

/** An order and the record of its key are written together or not at all; the charge, which cannot, is made once. */
@ShopTest
class OneTransactionTests {

    private final Shop shop;
    private final JdbcClient jdbc;
    private final DataSource dataSource;

    OneTransactionTests(@LocalServerPort int port, @Autowired JdbcClient jdbc, @Autowired DataSource dataSource) {
        this.shop = new Shop(port);
        this.jdbc = jdbc;
        this.dataSource = dataSource;
    }

    @BeforeEach
    void startAfresh() {
        shop.startAfresh();
        jdbc.sql("DELETE FROM orders").update();
        jdbc.sql("DELETE FROM resilience_idempotency").update();
    }

    @AfterEach
    void acceptEverything() {
        jdbc.sql("ALTER TABLE orders DROP CONSTRAINT IF EXISTS closed").update();
        jdbc.sql("ALTER TABLE resilience_idempotency DROP CONSTRAINT IF EXISTS no_results")
                .update();
    }

    @Test
    void aPlacedOrderHasARecordInTheShopsDatabase() {
        shop.order("placed");

        assertThat(count("orders")).isEqualTo(1);
        assertThat(count("resilience_idempotency")).isEqualTo(1);
    }

    @Test
    void anOrderWhoseRecordCannotBeWrittenIsNotStoredEither() {
        jdbc.sql("ALTER TABLE resilience_idempotency ADD CONSTRAINT no_results CHECK (result IS NULL)")
                .update();

        assertThat(shop.order("no record").status()).isEqualTo(503);

        assertThat(count("orders")).isZero();
    }

    @Test
    void anOrderThatCannotBeStoredLeavesItsKeyFreeAndIsNotChargedTwice() {
        jdbc.sql("ALTER TABLE orders ADD CONSTRAINT closed CHECK (id < 0)").update();
        assertThat(shop.order("not stored").status()).isEqualTo(500);
        assertThat(count("orders")).isZero();

        acceptEverything();
        Answer again = shop.order("not stored");

        assertThat(again.status()).isEqualTo(201);
        assertThat(again.story()).isEqualTo("paid at the first attempt");
        assertThat(count("orders")).isEqualTo(1);
        assertThat(shop.charges()).isEqualTo(1);
        assertThat(shop.repeatedCharges()).isEqualTo(1);
    }

    @Test
    void anOrderWhoseAnswerIsLostIsChargedOnce() {
        shop.gatewayBehaves("{\"loseNext\":2}");

        assertThat(shop.order("lost").status()).isEqualTo(201);

        assertThat(count("orders")).isEqualTo(1);
        assertThat(shop.charges()).isEqualTo(1);
        assertThat(shop.repeatedCharges()).isEqualTo(2);
    }

    @Test
    void aKeyThatHasPaidForAnotherOrderIsRefused() {
        shop.gatewayBehaves("{\"loseNext\":3}");
        assertThat(shop.order("paid").status()).isEqualTo(502);

        Answer otherAmount = shop.order("paid", "43.00");

        assertThat(otherAmount.status()).isEqualTo(422);
        assertThat(otherAmount.text("/detail")).isEqualTo("The key has paid for another order");
        assertThat(shop.charges()).isEqualTo(1);
    }

    @Test
    void ordersThatWaitForTheGatewayHoldNoConnection() throws Exception {
        shop.gatewayBehaves("{\"latency\":\"PT1M\"}");
        List<CompletableFuture<Answer>> running = IntStream.range(0, 4)
                .mapToObj(i -> shop.startOrder("slow-" + i, "42.00"))
                .toList();
        Awaitility.await().until(() -> shop.meter("resilience.bulkhead.running") == 4);

        Awaitility.await()
                .untilAsserted(() ->
                        assertThat(connectionPool().getActiveConnections()).isZero());

        shop.gatewayBehaves("{}");
        assertThat(running)
                .allSatisfy(order -> assertThat(order.join().status()).isEqualTo(201));
    }

    @Test
    void theStartupWarnsOfNothing() {
        assertThat(shop.get("/actuator/resilience").body().path("warnings")).isEmpty();
    }

    private HikariPoolMXBean connectionPool() throws SQLException {
        return dataSource.unwrap(HikariDataSource.class).getHikariPoolMXBean();
    }

    private int count(String table) {
        return jdbc.sql("SELECT COUNT(*) FROM " + table).query(Integer.class).single();
    }
}
