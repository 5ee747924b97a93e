package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;

/** What a crash costs a method that has no transaction: {@link CrashTests} would see it if it happened there. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.ServerDatabases#ofThisBuild")
@Timeout(300)
class WithoutTransactionTests extends ProcessesOnOneDatabase {

    private static final String CALL = "call-without-transaction k ";

    WithoutTransactionTests(ServerDatabases database) {
        super(database);
    }

    private NodeProcess secondAfterTheFirstWasKilled(String onAbandoned) throws Exception {
        String property = "--resilience.idempotency.orders.on-abandoned=" + onAbandoned;
        try (NodeProcess first = start(SHORT_LEASES, property)) {
            first.awaitReady().send(CALL + "after-the-effect");
            first.expect("at after-the-effect");
            first.kill();
        }
        assertThat(effects()).isEqualTo(1);
        return start(SHORT_LEASES, property).awaitReady();
    }

    @Tag("long")
    @Test
    void takingOverMeansAtLeastOnce() throws Exception {
        try (NodeProcess second = secondAfterTheFirstWasKilled("take-over")) {
            assertReturns(second, CALL + "nowhere", "order k");
        }
        assertThat(effects()).isEqualTo(2);
    }

    @Test
    void rejectingMeansAtMostOnce() throws Exception {
        try (NodeProcess second = secondAfterTheFirstWasKilled("reject")) {
            for (int i = 0; i < 3; i++) {
                assertThat(firstOtherAnswer(second, CALL + "nowhere"))
                        .isEqualTo("threw IdempotencyOutcomeUnknownException");
            }
        }
        assertThat(effects()).isEqualTo(1);
    }
}
