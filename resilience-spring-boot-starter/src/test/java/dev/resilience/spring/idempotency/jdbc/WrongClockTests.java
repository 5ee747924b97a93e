package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** Leases and results last by the database's clock, though the clocks of two nodes are two hours apart. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.ServerDatabases#ofThisBuild")
@Timeout(300)
class WrongClockTests extends ProcessesOnOneDatabase {

    private static final String[] LEASE = {
        "--resilience.idempotency.orders.lease=5s", "--resilience.idempotency.orders.fingerprint=false"
    };

    WrongClockTests(ServerDatabases database) {
        super(database);
    }

    @Test
    void leasesAreNeitherStolenNorKept() throws Exception {
        int keys = ServerDatabases.ofThisBuild(40, 200);
        try (NodeProcess ahead = start(LEASE, "--node.clock-offset=1h");
                NodeProcess behind = start(LEASE, "--node.clock-offset=-1h")) {
            assertKeepsItsLease("one", behind.awaitReady(), ahead.awaitReady());
            assertKeepsItsLease("two", ahead, behind);

            ahead.send("storm 16 " + keys);
            behind.send("storm 16 " + keys);
            ahead.expect("done");
            behind.expect("done");

            ahead.send("call abandoned after-the-effect");
            ahead.expect("at after-the-effect");
            ahead.kill();
            assertReturns(behind, "call abandoned nowhere", "order abandoned");
        }
        assertThat(keysWithAnEffect()).isEqualTo(keys + 3);
        assertThat(effects()).isEqualTo(keys + 3);
    }

    private static void assertKeepsItsLease(String key, NodeProcess owner, NodeProcess other) throws Exception {
        String call = "call " + key;
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
}
