package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.RetryOutcome;
import dev.resilience.retry.Retry;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.autoconfigure.ResilienceAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import dev.resilience.spring.retry.OpenTransactions;
import dev.resilience.time.ManualTimeSource;
import java.sql.SQLTransientException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.dao.TransientDataAccessResourceException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionExecution;
import org.springframework.transaction.TransactionManager;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.DefaultTransactionAttribute;
import org.springframework.transaction.interceptor.TransactionInterceptor;
import org.springframework.transaction.support.TransactionTemplate;

/** A retry inside a transaction that was open before its first attempt. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
@ExtendWith(OutputCaptureExtension.class)
class RetryInTransactionTests {

    private final Databases database;
    private final List<String> warnings = new ArrayList<>(); // when an application ends

    RetryInTransactionTests(Databases database) {
        this.database = database;
    }

    private interface Use {

        void with(Inner inner, TransactionTemplate transaction, Retry retry);
    }

    private void with(Use use, Class<?>... configuration) {
        try (HikariDataSource pool = database.pool()) {
            JdbcTemplate outside = new JdbcTemplate(pool);
            outside.execute("DROP TABLE IF EXISTS effects");
            outside.execute("CREATE TABLE effects (name VARCHAR(100) PRIMARY KEY)");
            ApplicationContextRunner runner = new ApplicationContextRunner()
                    .withConfiguration(SortedOnce.of(
                            AopAutoConfiguration.class,
                            TransactionAutoConfiguration.class,
                            ResilienceAutoConfiguration.class,
                            ResilienceTransactionAutoConfiguration.class))
                    .withBean(ManualTimeSource.class)
                    .withBean(DataSource.class, () -> pool)
                    .withBean(JdbcTemplate.class, () -> outside)
                    .withPropertyValues(
                            "resilience.idempotency-store.type=memory",
                            "resilience.retry.default.retry-on=org.springframework.dao.DataAccessException")
                    .withUserConfiguration(configuration);
            if (configuration.length == 0) {
                runner = runner.withBean(PlatformTransactionManager.class, () -> new JdbcTransactionManager(pool));
            }
            runner.withBean(Inner.class).run(context -> {
                assertThat(context).hasNotFailed();
                use.with(
                        context.getBean(Inner.class),
                        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)),
                        context.getBean(ResilienceRegistry.class).retries().get("default"));
                warnings.addAll(context.getBean(StartupWarnings.class).all());
            });
        }
    }

    @Test
    void doesNotRepeatWhatHasMarkedTheTransactionRollbackOnly(CapturedOutput output) {
        with((inner, transaction, retry) -> {
            for (int i = 0; i < 2; i++) {
                assertThatThrownBy(() -> transaction.execute(status -> inner.joins()))
                        .isInstanceOf(TransientDataAccessResourceException.class)
                        .hasNoSuppressedExceptions();
            }

            assertThat(inner.attempts()).isEqualTo(2);
            assertThat(retry.calls().get(RetryOutcome.NOT_RETRYABLE)).isEqualTo(2);
            assertThat(retry.attempts()).isZero();
        });
        assertThat(warnings)
                .singleElement()
                .asString()
                .contains("Retry 'default' has not repeated a failed attempt", "Propagation.REQUIRES_NEW")
                .endsWith("[retry-in-transaction] (docs/warnings.md#retry-in-transaction)");
        assertThat(output)
                .containsOnlyOnce(
                        "Retry 'default': a failed attempt is not repeated, because it was made in a transaction "
                                + "that was open before it, and which can only be rolled back: it is marked rollback-only");
    }

    @Test
    void repeatsWhatHasATransactionOfItsOwn() {
        with((inner, transaction, retry) -> {
            assertThat(transaction.<String>execute(status -> inner.hasItsOwn())).isEqualTo("attempt 3");

            assertThat(retry.calls().get(RetryOutcome.SUCCESS_AFTER_RETRY)).isEqualTo(1);
        });
        assertThat(warnings).isEmpty();
    }

    @Test
    void repeatsWhatFailsWithoutAnEffectOnTheTransaction() {
        with((inner, transaction, retry) -> {
            assertThat(transaction.<String>execute(status -> inner.takesNoPart()))
                    .isEqualTo("attempt 3");

            assertThat(retry.calls().get(RetryOutcome.SUCCESS_AFTER_RETRY)).isEqualTo(1);
        });
    }

    @Test
    void repeatsWhatIsRolledBackToASavepoint() {
        with((inner, transaction, retry) -> {
            assertThat(transaction.<String>execute(status -> inner.savepoint())).isEqualTo("attempt 3");

            assertThat(retry.calls().get(RetryOutcome.SUCCESS_AFTER_RETRY)).isEqualTo(1);
        });
    }

    @Test
    void repeatsWithoutATransactionAround() {
        with((inner, transaction, retry) -> {
            assertThat(inner.joins()).isEqualTo("attempt 3");

            assertThat(retry.calls().get(RetryOutcome.SUCCESS_AFTER_RETRY)).isEqualTo(1);
        });
    }

    @Test
    void repeatsAFailedStatementWhereTheTransactionGoesOn() {
        assumeThat(database).isEqualTo(Databases.H2);
        with((inner, transaction, retry) -> {
            assertThat(transaction.<String>execute(status -> inner.failsInSql()))
                    .isEqualTo("attempt 3");

            assertThat(retry.calls().get(RetryOutcome.SUCCESS_AFTER_RETRY)).isEqualTo(1);
        });
    }

    @Test
    void aMarkByTheMethodThatBeganTheTransactionCounts() {
        with((inner, transaction, retry) -> {
            Supplier<?> proxy = transactional(transaction, () -> {
                TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
                return inner.takesNoPart();
            });

            assertThatThrownBy(proxy::get).isInstanceOf(TransientDataAccessResourceException.class);

            assertThat(inner.attempts()).isEqualTo(1);
        });
    }

    private static Supplier<?> transactional(TransactionTemplate transaction, Supplier<String> method) {
        return transactional(transaction, TransactionDefinition.PROPAGATION_REQUIRED, method);
    }

    private static Supplier<?> transactional(
            TransactionTemplate transaction, int propagation, Supplier<String> method) {
        ProxyFactory factory = new ProxyFactory(method);
        factory.addAdvice(new TransactionInterceptor(
                (TransactionManager) transaction.getTransactionManager(),
                (ofCall, type) -> new DefaultTransactionAttribute(propagation)));
        return (Supplier<?>) factory.getProxy();
    }

    @Test
    void theMarkOfASuspendedTransactionDoesNotCount() {
        with((inner, transaction, retry) -> {
            TransactionTemplate another =
                    new TransactionTemplate(Objects.requireNonNull(transaction.getTransactionManager()));
            another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
            Supplier<?> proxy = transactional(transaction, () -> {
                TransactionInterceptor.currentTransactionStatus().setRollbackOnly();
                return another.<String>execute(status -> inner.takesNoPart());
            });

            assertThat(proxy.get()).isEqualTo("attempt 3");
        });
    }

    /** Such as that of a parent context, to which nothing of this one listens. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theMarkIsSeenOfAManagerFromElsewhere(boolean readOnly) {
        try (HikariDataSource pool = database.pool()) {
            JdbcTransactionManager manager = new JdbcTransactionManager(pool);
            manager.setValidateExistingTransaction(true);
            OpenTransactions state = new OpenTransactions();
            TransactionTemplate transaction = new TransactionTemplate(manager);
            transaction.setReadOnly(readOnly);

            assertThatThrownBy(() -> transaction.executeWithoutResult(outer -> {
                        assertThat(state.whyLost(null)).isNull();
                        transaction.executeWithoutResult(TransactionExecution::setRollbackOnly);
                        assertThat(state.whyLost(null)).isEqualTo("it is marked rollback-only");
                    }))
                    .isInstanceOf(UnexpectedRollbackException.class);
        }
    }

    @Test
    void ofJpaIsNotRepeatedIfItIsMarked() {
        with(
                (inner, transaction, retry) -> {
                    assertThatThrownBy(() -> transaction.execute(status -> inner.joins()))
                            .isInstanceOf(TransientDataAccessResourceException.class);

                    assertThat(inner.attempts()).isEqualTo(1);
                },
                JpaTransactionTests.Persistence.class);
    }

    @Test
    void ofJpaIsRepeatedIfItIsNot() {
        with(
                (inner, transaction, retry) -> {
                    assertThat(transaction.<String>execute(status -> inner.takesNoPart()))
                            .isEqualTo("attempt 3");
                    inner.begin();
                    assertThat(transaction.<String>execute(status -> inner.hasItsOwn()))
                            .isEqualTo("attempt 3");
                },
                JpaTransactionTests.Persistence.class);
    }

    @Test
    void anAsynchronousAttemptThatFailsOnTheCallersThreadIsNotRepeatedEither() {
        with((inner, transaction, retry) -> {
            List<CompletableFuture<String>> answer = new ArrayList<>();
            assertThatThrownBy(() -> transaction.execute(status -> answer.add(inner.joinsLater())))
                    .isInstanceOf(UnexpectedRollbackException.class);

            assertThat(answer)
                    .singleElement()
                    .satisfies(future -> assertThat(future).isCompletedExceptionally());
            assertThat(inner.attempts()).isEqualTo(1);
        });
    }

    static class Inner {

        private final AtomicInteger attempts = new AtomicInteger();
        private final JdbcTemplate jdbc;

        Inner(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        int attempts() {
            return attempts.get();
        }

        void begin() {
            attempts.set(0);
        }

        @Retryable("default")
        @Transactional
        public String joins() {
            return failTwice();
        }

        @Retryable("default")
        @Transactional
        public CompletableFuture<String> joinsLater() {
            return CompletableFuture.completedFuture(failTwice());
        }

        @Retryable("default")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String hasItsOwn() {
            jdbc.update("INSERT INTO effects VALUES (?)", "own " + attempts);
            if (attempts.get() == 0) {
                attempts.incrementAndGet();
                jdbc.execute("SELECT nothing FROM effects");
            }
            return failTwice();
        }

        @Retryable("default")
        public String takesNoPart() {
            return failTwice();
        }

        @Retryable("default")
        @Transactional(propagation = Propagation.NESTED)
        public String savepoint() {
            if (attempts.get() < 2) {
                attempts.incrementAndGet();
                jdbc.execute("SELECT nothing FROM effects");
            }
            return failTwice();
        }

        @Retryable("default")
        public String failsInSql() {
            if (attempts.get() < 2) {
                attempts.incrementAndGet();
                jdbc.execute("SELECT nothing FROM effects");
            }
            return failTwice();
        }

        private String failTwice() {
            if (attempts.incrementAndGet() < 3) {
                throw new TransientDataAccessResourceException("busy", new SQLTransientException("busy"));
            }
            return "attempt " + attempts;
        }
    }
}
