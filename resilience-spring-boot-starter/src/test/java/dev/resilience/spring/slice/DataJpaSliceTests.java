package dev.resilience.spring.slice;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.exception.IdempotencyInProgressException;
import dev.resilience.idempotency.store.IdempotencyStore;
import dev.resilience.spring.Callee;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import dev.resilience.time.ManualTimeSource;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.data.jpa.test.autoconfigure.DataJpaTest;
import org.springframework.context.annotation.Import;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

@DataJpaTest(properties = "resilience.retry.slice.max-attempts=3")
@Import({OrderBook.class, Callee.class, ManualTimeSource.class})
class DataJpaSliceTests {

    @Autowired
    OrderBook book;

    @Autowired
    Orders orders;

    @Autowired
    Callee callee;

    @Autowired
    IdempotencyStore store;

    @Test
    void servicesAreProtected() throws Exception {
        int before = callee.calls();
        callee.failNext(2);

        assertThat(book.look()).endsWith(" of 0");
        assertThat(callee.calls() - before).isEqualTo(3);
    }

    @RepeatedTest(2)
    void theRollbackAfterEachTestReleasesTheKeys() throws Exception {
        int before = callee.calls();

        book.book("4711");

        assertThat(callee.calls() - before).isEqualTo(1);
        assertThat(orders.count()).isEqualTo(1);
        assertThat(store).isInstanceOf(JdbcIdempotencyStore.class);
    }

    @Test
    void aRepeatedCallInTheTestsTransactionFindsTheFirstOneUncommitted() throws Exception {
        book.book("4711");

        assertThatThrownBy(() -> book.book("4711")).isInstanceOf(IdempotencyInProgressException.class);
    }

    @Test
    @Transactional(propagation = Propagation.NOT_SUPPORTED)
    void aRepeatedCallOutsideOfATestsTransactionGetsTheFirstOnesResult() throws Exception {
        String first = book.book("4712");

        assertThat(book.book("4712")).isEqualTo(first);
        orders.deleteAll();
    }
}
