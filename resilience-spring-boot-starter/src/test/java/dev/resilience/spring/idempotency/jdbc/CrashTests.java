package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.AfterParameterizedClassInvocation;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One effect a key, though processes race, sleep, freeze and die. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.ServerDatabases#ofThisBuild")
@Timeout(300)
class CrashTests extends ProcessesOnOneDatabase {

    private static final Queue<NodeProcess> IDLE = new ArrayDeque<>();

    CrashTests(ServerDatabases database) {
        super(database);
    }

    @AfterParameterizedClassInvocation
    static void endNodes() {
        IDLE.forEach(NodeProcess::end);
        IDLE.clear();
    }

    private NodeProcess start() throws IOException {
        NodeProcess idle = IDLE.poll();
        return idle == null ? start(SHORT_LEASES).keptIn(IDLE) : idle;
    }

    @Test
    void twoNodesAndOneThatIsKilledHaveOneEffectAKey() throws Exception {
        int keys = ServerDatabases.ofThisBuild(240, 1_500);
        try (NodeProcess one = start();
                NodeProcess two = start();
                NodeProcess three = start()) {
            one.awaitReady();
            two.awaitReady();
            three.awaitReady();
            three.send("storm 64 " + keys);
            one.send("storm 64 " + keys);
            two.send("storm 64 " + keys);
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
        try (NodeProcess first = start();
                NodeProcess second = start()) {
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
        try (NodeProcess first = start();
                NodeProcess second = start()) {
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

    /** Its transaction has the record: nobody may run, nor wait, until the database knows how that ends. */
    @Test
    void anOwnerThatFreezesBeforeItsCommitKeepsItsKey() throws Exception {
        try (NodeProcess first = start();
                NodeProcess second = start()) {
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
}
