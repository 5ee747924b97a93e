package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceJdbcAutoConfiguration;
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
import org.springframework.aop.support.DefaultPointcutAdvisor;
import org.springframework.aop.support.annotation.AnnotationMatchingPointcut;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Role;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.annotation.AbstractTransactionManagementConfiguration;
import org.springframework.transaction.annotation.AnnotationTransactionAttributeSource;
import org.springframework.transaction.annotation.EnableTransactionManagement;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.TransactionManagementConfigurer;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionInterceptor;

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
    void transactionsThatAreWovenIn() {
        warningsOf(runner -> runner.withUserConfiguration(Woven.class), Plain.class)
                .singleElement()
                .asString()
                .contains("Plain.pay(", "no advice begins it further out", "mode = ASPECTJ");
    }

    @Test
    void adviceThatBeginsATransactionTooFarIn() {
        warningsOf(
                        runner -> runner.withUserConfiguration(Woven.class)
                                .withConfiguration(SortedOnce.of(Innermost.class)),
                        Plain.class)
                .singleElement()
                .asString()
                .contains("Plain.pay(", "no advice begins it further out");
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

    @ParameterizedTest
    @ValueSource(classes = {Excepting.class, ExceptingByName.class, ExceptingByJta.class})
    void exceptionsThatAreSaidToCommit(Class<?> type) {
        warningsOf(type)
                .singleElement()
                .asString()
                .contains(
                        type.getSimpleName() + ".pay(",
                        "is committed when it throws ",
                        "IllegalState",
                        "Take it out of",
                        "'replay-exceptions'");
    }

    @ParameterizedTest
    @ValueSource(classes = {Excepting.class, ExceptingByName.class})
    void nothingIsSaidOfThemIfTheyAreReplayed(Class<?> type) {
        warningsOf(type, "resilience.idempotency.default.replay-exceptions=java.lang.IllegalStateException")
                .isEmpty();
    }

    @Test
    void nothingIsSaidWhereItIsNotWanted() {
        warningsOf(ReadOnly.class, "resilience.idempotency.default.transactional=never")
                .isEmpty();
    }

    /** As {@code @EnableTransactionManagement(mode = ASPECTJ)}: no advice of Spring's, and no bean that knows methods. */
    @Configuration(proxyBeanMethods = false)
    static class Woven extends AbstractTransactionManagementConfiguration {}

    /** Registered last, and so innermost. */
    @AutoConfiguration(after = ResilienceJdbcAutoConfiguration.class)
    static class Innermost {

        @Bean
        @Role(BeanDefinition.ROLE_INFRASTRUCTURE)
        static DefaultPointcutAdvisor transactions(@Qualifier("transactionManager") TransactionManager manager) {
            return new DefaultPointcutAdvisor(
                    AnnotationMatchingPointcut.forMethodAnnotation(Transactional.class),
                    new TransactionInterceptor(manager, new AnnotationTransactionAttributeSource()));
        }
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

    static class ExceptingByName {

        @Idempotent(key = "#key")
        @Transactional(noRollbackForClassName = "IllegalState")
        String pay(String key) {
            return key;
        }
    }

    static class ExceptingByJta {

        @Idempotent(key = "#key")
        @jakarta.transaction.Transactional(dontRollbackOn = IllegalStateException.class)
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
