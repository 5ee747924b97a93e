package dev.resilience.spring.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.StartupWarnings;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Transactions in which no result can be written are told of at startup. */
class TransactionCheckTests {

    private static ListAssert<String> warningsOf(Class<?> type, String... properties) {
        List<String> warnings = new ArrayList<>();
        try (HikariDataSource pool = Databases.H2.pool();
                HikariDataSource another = Databases.H2.pool()) {
            TestShop.runner(pool)
                    .withBean(
                            "transactionManager",
                            JdbcTransactionManager.class,
                            () -> new JdbcTransactionManager(pool),
                            definition -> definition.setPrimary(true))
                    .withBean("another", JdbcTransactionManager.class, () -> new JdbcTransactionManager(another))
                    .withBean(type)
                    .withPropertyValues(properties)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        warnings.addAll(context.getBean(StartupWarnings.class).all().stream()
                                .filter(warning -> warning.contains(type.getSimpleName() + "."))
                                .toList());
                    });
        }
        return assertThat(warnings);
    }

    @Test
    void nothingIsSaidOfATransactionInWhichTheResultIsWritten() {
        warningsOf(Plain.class).isEmpty();
    }

    @Test
    void anotherDataSource() {
        warningsOf(WithAnotherManager.class)
                .singleElement()
                .asString()
                .contains("WithAnotherManager.pay(", "JdbcTransactionManager", "not one of the data source");
    }

    @Test
    void aReadOnlyTransaction() {
        warningsOf(ReadOnly.class).singleElement().asString().contains("ReadOnly.pay(", "read-only");
    }

    @Test
    void noTransactionAtAll() {
        warningsOf(Outside.class).singleElement().asString().contains("Outside.pay(", "outside of transactions");
    }

    @Test
    void aTransactionOfItsOwn() {
        warningsOf(OfItsOwn.class).singleElement().asString().contains("OfItsOwn.pay(", "REQUIRES_NEW");
    }

    @Test
    void aStage() {
        warningsOf(Later.class).singleElement().asString().contains("Later.pay(", "returns a stage");
    }

    @Test
    void nothingIsSaidWhereItIsNotWanted() {
        warningsOf(ReadOnly.class, "resilience.idempotency.default.transactional=never")
                .isEmpty();
    }

    static class Plain {

        @Idempotent(key = "#key")
        @Transactional
        String pay(String key) {
            return key;
        }
    }

    static class WithAnotherManager {

        @Idempotent(key = "#key")
        @Transactional("another")
        String pay(String key) {
            return key;
        }
    }

    @Transactional(readOnly = true)
    static class ReadOnly {

        @Idempotent(key = "#key")
        String pay(String key) {
            return key;
        }
    }

    static class Outside {

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.NOT_SUPPORTED)
        String pay(String key) {
            return key;
        }
    }

    static class OfItsOwn {

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        String pay(String key) {
            return key;
        }
    }

    static class Later {

        @Idempotent(key = "#key")
        @Transactional
        CompletableFuture<String> pay(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }
}
