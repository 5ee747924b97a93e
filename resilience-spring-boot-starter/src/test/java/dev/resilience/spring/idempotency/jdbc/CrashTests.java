package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.JdbcTemplate;

/**
 * One effect a key, though processes race, sleep, freeze and die, and their clocks are two hours apart. A process takes
 * seconds to start: those that have survived a test serve the next.
 */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.ServerDatabases#ofThisBuild")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(300)
class CrashTests {

    private static final String AHEAD = "1h";
    private static final String BEHIND = "-1h";
    private static final Map<String, Queue<NodeProcess>> IDLE =
            Map.of(AHEAD, new ArrayDeque<>(), BEHIND, new ArrayDeque<>());

    private final ServerDatabases database;
    private final HikariDataSource pool;
    private final JdbcTemplate jdbc;

    CrashTests(ServerDatabases database) {
        this.database = database;
        this.pool = database.pool();
        this.jdbc = new JdbcTemplate(pool);
    }

    /** Whether the calls of the program have no annotation. */
    boolean isFromCode() {
        return false;
    }

    @BeforeEach
    void clear() {
        jdbc.execute("DROP TABLE IF EXISTS effects");
        try {
            jdbc.update("DELETE FROM " + JdbcIdempotencyStore.DEFAULT_TABLE); // which nodes that run have prepared
        } catch (BadSqlGrammarException missing) {
            // no node has run
        }
        jdbc.execute("CREATE TABLE effects (name VARCHAR(100))");
    }

    @AfterEach
    void close() {
        pool.close();
    }

    @AfterParameterizedClassInvocation
    static void endNodes() {
        for (Queue<NodeProcess> idle : IDLE.values()) {
            idle.forEach(NodeProcess::end);
            idle.clear();
        }
    }

    /** One with this clock. */
    private NodeProcess node(String clockOffset) throws IOException {
        NodeProcess idle = IDLE.get(clockOffset).poll();
        return idle == null
                ? new NodeProcess(database, "--node.clock-offset=" + clockOffset, "--node.from-code=" + isFromCode())
                        .keptIn(IDLE.get(clockOffset))
                : idle;
    }

    @Order(1) // it has most nodes, which the others find
    @Test
    void twoNodesAndOneThatIsKilledHaveOneEffectAKey() throws Exception {
        int keys = ServerDatabases.ofThisBuild(80, 1_500);
        String storm = "storm " + ServerDatabases.ofThisBuild(16, 64) + " " + keys;
        try (NodeProcess one = node(AHEAD);
                NodeProcess two = node(BEHIND);
                NodeProcess three = node(AHEAD)) {
            one.awaitReady();
            two.awaitReady();
            three.awaitReady();
            three.send(storm);
            one.send(storm);
            two.send(storm);
            while (effects() < keys / 3) {
                LockSupport.parkNanos(10_000_000);
            }
            three.kill();

            one.expect("done");
            two.expect("done");
        }
        assertThat(keysWithAnEffect()).isEqualTo(keys);
        assertThat(effects()).isEqualTo(keys);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"before-the-effect", "after-the-effect", "before-the-commit"})
    void anOwnerThatIsKilledLeavesNothingBehind(String where) throws Exception {
        try (NodeProcess first = node(AHEAD);
                NodeProcess second = node(BEHIND)) {
            first.awaitReady().send("call k " + where);
            first.expect("at " + where);
            first.kill();

            assertReturns(second.awaitReady(), "call k nowhere", "order k");
        }
        assertThat(effects()).isEqualTo(1);
    }

    @Tag("long")
    @ParameterizedTest
    @ValueSource(strings = {"before-the-effect", "after-the-effect"})
    void anOwnerThatFreezesAndComesBackChangesNothing(String where) throws Exception {
        try (NodeProcess first = node(AHEAD);
                NodeProcess second = node(BEHIND)) {
            second.awaitReady();
            first.awaitReady().send("call k " + where);
            first.expect("at " + where);
            first.freeze();
            assertReturns(second, "call k nowhere", "order k");

            first.thaw();
            first.send("go on");

            first.expect("threw IdempotencyLeaseLostException");
            first.send("call k nowhere");
            first.expect("returned order k");
        }
        assertThat(effects()).isEqualTo(1);
    }

    /** Its transaction has the record: no call may run, nor wait, until the database knows how that ends. */
    @Test
    void anOwnerThatFreezesBeforeItsCommitKeepsItsKey() throws Exception {
        try (NodeProcess first = node(AHEAD);
                NodeProcess second = node(BEHIND)) {
            second.awaitReady();
            first.awaitReady().send("call k before-the-commit");
            first.expect("at before-the-commit");
            first.freeze();
            while (!isLeaseOver()) {
                LockSupport.parkNanos(10_000_000);
            }

            second.send("call k nowhere");
            second.expect("threw IdempotencyInProgressException");

            first.thaw();
            first.send("go on");
            first.expect("returned order k");
            second.send("call k nowhere");
            second.expect("returned order k");
        }
        assertThat(effects()).isEqualTo(1);
    }

    /** Leases and results last by the database's clock. */
    @Test
    void wrongClocksNeitherStealLeasesNorKeepThem() throws Exception {
        try (NodeProcess ahead = node(AHEAD);
                NodeProcess behind = node(BEHIND)) {
            assertKeepsItsLease("one", behind.awaitReady(), ahead.awaitReady());
            assertKeepsItsLease("two", ahead, behind);

            ahead.send("call-patiently abandoned after-the-effect");
            ahead.expect("at after-the-effect");
            ahead.kill();
            assertReturns(behind, "call-patiently abandoned nowhere", "order abandoned");
        }
        assertThat(keysWithAnEffect()).isEqualTo(3);
        assertThat(effects()).isEqualTo(3);
    }

    private static void assertKeepsItsLease(String key, NodeProcess owner, NodeProcess other) throws Exception {
        String call = "call-patiently " + key;
        String result = "returned order " + key;
        owner.send(call + " after-the-effect");
        owner.expect("at after-the-effect");
        for (int i = 0; i < 20; i++) {
            other.send(call + " nowhere");
            other.expect("threw IdempotencyInProgressException");
        }
        owner.send("go on");
        owner.expect(result);
        other.send(call + " nowhere");
        other.expect(result);
    }

    @Tag("long")
    @Test
    void withoutATransactionTakingOverMeansAtLeastOnce() throws Exception {
        try (NodeProcess second = secondAfterTheFirstWasKilled("call-at-least-once k")) {
            assertReturns(second, "call-at-least-once k nowhere", "order k");
        }
        assertThat(effects()).isEqualTo(2);
    }

    @Test
    void withoutATransactionRejectingMeansAtMostOnce() throws Exception {
        try (NodeProcess second = secondAfterTheFirstWasKilled("call-at-most-once k")) {
            for (int i = 0; i < 3; i++) {
                assertThat(firstOtherAnswer(second, "call-at-most-once k nowhere"))
                        .isEqualTo("threw IdempotencyOutcomeUnknownException");
            }
        }
        assertThat(effects()).isEqualTo(1);
    }

    private NodeProcess secondAfterTheFirstWasKilled(String call) throws Exception {
        try (NodeProcess first = node(AHEAD)) {
            first.awaitReady().send(call + " after-the-effect");
            first.expect("at after-the-effect");
            first.kill();
        }
        assertThat(effects()).isEqualTo(1);
        return node(BEHIND).awaitReady();
    }

    private int effects() {
        return count("*");
    }

    private int keysWithAnEffect() {
        return count("DISTINCT name");
    }

    private int count(String what) {
        Integer count = jdbc.queryForObject("SELECT count(" + what + ") FROM effects", Integer.class);
        return count == null ? 0 : count;
    }

    /** Whether there is a record in progress whose lease has run out. */
    private boolean isLeaseOver() {
        return !jdbc.queryForList("SELECT id FROM " + JdbcIdempotencyStore.DEFAULT_TABLE
                        + " WHERE state = 'R' AND valid_until <= " + Databases.POSTGRESQL.now())
                .isEmpty();
    }

    /** Repeats a call that is refused because the key is in progress, until it is not. */
    private static String firstOtherAnswer(NodeProcess node, String order) throws InterruptedException {
        node.send(order);
        String answer = node.answer();
        while (answer.equals("threw IdempotencyInProgressException")) {
            LockSupport.parkNanos(20_000_000);
            node.send(order);
            answer = node.answer();
        }
        return answer;
    }

    private static void assertReturns(NodeProcess node, String order, String expected) throws InterruptedException {
        assertThat(firstOtherAnswer(node, order)).isEqualTo("returned " + expected);
    }
}
