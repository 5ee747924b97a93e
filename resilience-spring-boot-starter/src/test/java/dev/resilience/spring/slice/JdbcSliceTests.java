package dev.resilience.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.Callee;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.test.autoconfigure.JdbcTest;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;

@JdbcTest(properties = "resilience.retry.slice.max-attempts=3")
@Import({JdbcSliceTests.Ledger.class, Callee.class, ManualTimeSource.class})
class JdbcSliceTests {

    @Autowired
    Ledger ledger;

    @Autowired
    Callee callee;

    @Autowired
    JdbcTemplate jdbc;

    @Autowired
    IdempotencyStore store;

    @Test
    void importedServicesAreProtected() throws Exception {
        int before = callee.calls();
        callee.failNext(2);

        ledger.look();

        assertThat(callee.calls() - before).isEqualTo(3);
    }

    /** Twice, because the rollback after the first one releases the key. */
    @RepeatedTest(2)
    void idempotentCallsAreRememberedInTheTestsDatabase() throws Exception {
        int before = callee.calls();

        ledger.book("4711");

        assertThat(store).isInstanceOf(JdbcIdempotencyStore.class);
        assertThat(callee.calls() - before).isEqualTo(1);
        assertThat(jdbc.queryForList("select operation from resilience_idempotency", String.class))
                .singleElement()
                .asString()
                .contains("book");
    }

    static class Ledger {

        private final Callee callee;

        Ledger(Callee callee) {
            this.callee = callee;
        }

        @Idempotent(key = "#id")
        @Transactional
        String book(String id) throws ConnectException {
            return id + ", " + callee.call();
        }

        @Retryable("slice")
        String look() throws ConnectException {
            return callee.call();
        }
    }
}
