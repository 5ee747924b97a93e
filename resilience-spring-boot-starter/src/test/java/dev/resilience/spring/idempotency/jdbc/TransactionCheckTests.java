package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.jdbc.TransactionOrderTests.FurtherIn;
import dev.resilience.spring.idempotency.jdbc.TransactionOrderTests.Outermost;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;

/** Transactions in which no result can be written are a warning at startup. */
class TransactionCheckTests {

    private static ListAssert<String> warningsOf(Class<?> type, String... properties) {
        return warningsOf(runner -> runner.withPropertyValues(properties), type);
    }

    private static ListAssert<String> warningsOf(UnaryOperator<ApplicationContextRunner> configuration, Class<?> type) {
        List<String> warnings = new ArrayList<>();
        try (HikariDataSource pool = Databases.H2.pool();
                HikariDataSource another = Databases.H2.pool()) {
            configuration
                    .apply(TestShop.runner(pool))
                    .withBean(
                            "transactionManager",
                            JdbcTransactionManager.class,
                            () -> new JdbcTransactionManager(pool),
                            definition -> definition.setPrimary(true))
                    .withBean("another", JdbcTransactionManager.class, () -> new JdbcTransactionManager(another))
                    .withBean(type)
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
    void anotherDataSourceByTheQualifierOfTheClass() {
        warningsOf(ByItsClass.class)
                .singleElement()
                .asString()
                .contains("ByItsClass.pay(", "not one of the data source");
        warningsOf(ByItsMethod.class).isEmpty();
        warningsOf(OfNoManager.class).isEmpty();
    }

    @Test
    void anotherDataSourceByTheConfiguration() {
        warningsOf(runner -> runner.withUserConfiguration(OneForAll.class), Plain.class)
                .singleElement()
                .asString()
                .contains("Plain.pay(", "not one of the data source");
    }

    @Test
    void aReadOnlyTransaction() {
        warningsOf(ReadOnly.class)
                .singleElement()
                .asString()
                .contains("ReadOnly.pay(", "read-only", "[result-outside-transaction]");
    }

    @Test
    void noTransactionAtAll() {
        warningsOf(Outside.class).singleElement().asString().contains("Outside.pay(", "outside transactions");
    }

    @Test
    void aStage() {
        warningsOf(Later.class).singleElement().asString().contains("Later.pay(", "returns a stage");
    }

    @ParameterizedTest
    @ValueSource(classes = {Outermost.class, FurtherIn.class})
    void nothingIsSaidOfOtherOrders(Class<?> order) {
        warningsOf(runner -> runner.withUserConfiguration(order), Plain.class).isEmpty();
    }

    @Test
    void anExceptionThatCommitsAndFreesTheKey() {
        warningsOf(Throwing.class)
                .singleElement()
                .asString()
                .contains(
                        "Throwing.pay(",
                        "is committed when it throws java.io.IOException",
                        "rollbackFor = IOException.class",
                        "[commit-frees-key]",
                        "'replay-exceptions'");
    }

    @Test
    void nothingIsSaidOfAnExceptionThatIsReplayed() {
        warningsOf(Throwing.class, "resilience.idempotency.default.replay-exceptions=java.io.IOException")
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(classes = {RollingBack.class, ThrowingOthers.class})
    void nothingIsSaidOfExceptionsThatRollBackOrCannotBeAskedFor(Class<?> type) {
        warningsOf(type).isEmpty();
    }

    @Test
    void aDeclaredExceptionThatIsSaidToCommit() {
        warningsOf(Excepting.class)
                .singleElement()
                .asString()
                .contains(
                        "Excepting.pay(",
                        "is committed when it throws java.lang.IllegalStateException",
                        "'replay-exceptions'");
        warningsOf(Excepting.class, "resilience.idempotency.default.replay-exceptions=java.lang.IllegalStateException")
                .isEmpty();
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

    @Qualifier("another")
    static class ByItsClass {

        @Idempotent(key = "#key")
        @Transactional
        String pay(String key) {
            return key;
        }
    }

    @Qualifier("another")
    static class ByItsMethod {

        @Idempotent(key = "#key")
        @Transactional("transactionManager")
        String pay(String key) {
            return key;
        }
    }

    @Qualifier("fast")
    static class OfNoManager {

        @Idempotent(key = "#key")
        @Transactional
        String pay(String key) {
            return key;
        }
    }

    @Configuration(proxyBeanMethods = false)
    @EnableTransactionManagement
    static class OneForAll implements TransactionManagementConfigurer {

        private final TransactionManager another;

        OneForAll(@Qualifier("another") TransactionManager another) {
            this.another = another;
        }

        @Override
        public TransactionManager annotationDrivenTransactionManager() {
            return another;
        }
    }

    static class Excepting {

        @Idempotent(key = "#key")
        @Transactional(noRollbackFor = IllegalStateException.class)
        String pay(String key) throws IllegalStateException {
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

    static class Throwing {

        @Idempotent(key = "#key")
        @Transactional
        String pay(String key) throws IOException {
            return key;
        }
    }

    static class RollingBack {

        @Idempotent(key = "#key")
        @Transactional(rollbackFor = IOException.class)
        String pay(String key) throws FileNotFoundException {
            return key;
        }
    }

    static class ThrowingOthers {

        @Idempotent(key = "#key")
        @Transactional
        String pay(String key) throws IllegalStateException, GeneralDeclinedException {
            return key;
        }
    }

    abstract static class GeneralDeclinedException extends Exception {}

    static class Later {

        @Idempotent(key = "#key")
        @Transactional
        CompletableFuture<String> pay(String key) {
            return CompletableFuture.completedFuture(key);
        }
    }
}
