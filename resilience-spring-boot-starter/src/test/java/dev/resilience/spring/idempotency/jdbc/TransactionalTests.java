package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.exception.IdempotencyStoreException;
import java.net.ConnectException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;

/** Effect and record commit together or not at all. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class TransactionalTests {

    private final Databases database;

    TransactionalTests(Databases database) {
        this.database = database;
    }

    private void with(TestShop.Use use) {
        TestShop.with(database, use);
    }

    @Test
    void aTransactionOnTheSameMethodCommitsBoth() {
        with(TestShop::assertCommitsBoth);
    }

    @Test
    void theRecordIsWrittenBeforeTheCommitAndSeenByNobodyElse() {
        with(shop -> {
            List<String> states = new ArrayList<>();
            shop.orders().beforeReturning(() -> states.add(shop.stateOutside()));
            shop.beforeCommit(() -> states.add(shop.stateInside() + " inside, " + shop.stateOutside() + " outside"));

            shop.orders().place("k");

            assertThat(states).containsExactly("R", "C inside, R outside");
            assertThat(shop.stateOutside()).isEqualTo("C");
        });
    }

    @Test
    void aTransactionAroundTheCallDecidesAboutBoth() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                assertThat(shop.orders().place("k")).isEqualTo("order 1");
                assertThat(shop.stateOutside()).isEqualTo("R");
                shop.assertCounted();
            });

            assertThat(shop.stateOutside()).isEqualTo("C");
            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
        });
    }

    @Test
    void aTransactionAroundTheCallThatIsRolledBackFreesTheKeyAtOnce() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.orders().place("k");
                status.setRollbackOnly();
            });

            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.RELEASED);
            assertThat(shop.stateOutside()).isNull();
            assertThat(shop.orders().place("k")).isEqualTo("order 2");
            shop.assertEffects(1);
        });
    }

    @Test
    void aFailureFreesTheKeyAtOnce() {
        with(shop -> {
            shop.orders().beforeReturning(() -> {
                throw new IllegalStateException("of the body");
            });

            assertThatThrownBy(() -> shop.orders().place("k")).hasMessage("of the body");

            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.RELEASED);
            assertThat(shop.stateOutside()).isNull();
        });
    }

    @Test
    void aFailureRightBeforeTheCommitTakesTheRecordWithIt() {
        with(TestShop::assertCommitsNeither);
    }

    @Test
    void aRetryAfterARollbackRunsAgain() {
        with(shop -> {
            shop.orders().failOnce(new ConnectException("refused"));

            assertThat(shop.orders().placeWithRetry("k")).isEqualTo("order 2");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.stateOutside()).isEqualTo("C");
        });
    }

    @Test
    void aRetryAfterACommitThatFailedRunsAgain() {
        with(shop -> {
            AtomicReference<@Nullable RuntimeException> atCommit =
                    new AtomicReference<>(new org.springframework.dao.QueryTimeoutException("of the commit"));
            shop.beforeCommit(() -> {
                RuntimeException failure = atCommit.getAndSet(null);
                if (failure != null) {
                    throw failure;
                }
            });

            assertThat(shop.orders().placeWithRetry("k")).isEqualTo("order 2");

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
        });
    }

    @Test
    void anOwnerThatWasReplacedIsRolledBack() {
        with(TestShop::assertRollsBackAReplacedOwner);
    }

    @Test
    void anOwnerThatWasReplacedIsRolledBackWhoeverCatchesItsException() {
        with(shop -> {
            shop.orders().beforeReturning(() -> shop.takeOver());

            assertThatThrownBy(() -> shop.transaction().executeWithoutResult(status -> {
                        assertThatThrownBy(() -> shop.orders().place("k"))
                                .isInstanceOf(IdempotencyLeaseLostException.class);
                    }))
                    .isInstanceOfAny(IdempotencyLeaseLostException.class, UnexpectedRollbackException.class);

            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.LEASE_LOST);
        });
    }

    @Test
    void aResultThatIsTooLargeIsRolledBack() {
        with(shop -> {
            assertThatThrownBy(() -> shop.orders().placeLarge("k"))
                    .isInstanceOf(IdempotencyStoreException.class)
                    .hasMessageContaining("max-result-size");

            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.RELEASED);
            assertThat(shop.stateOutside()).isNull();
        });
    }

    @Test
    void aTransactionOfItsOwnCommitsBothWhateverBecomesOfTheOuterOne() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.orders().placeInNewTransaction("k");
                assertThat(shop.stateOutside()).isEqualTo("C");
                status.setRollbackOnly();
            });

            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.orders().placeInNewTransaction("k")).isEqualTo("order 1");
        });
    }

    @Test
    void aNestedTransactionThatIsRolledBackTakesTheRecordWithIt() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                Object savepoint = status.createSavepoint();
                shop.orders().place("k");
                status.rollbackToSavepoint(savepoint);
            });

            shop.assertEffects(0);
            shop.awaitCounted(IdempotencyOutcome.RELEASED);
            assertThat(shop.stateOutside()).isNull();
        });
    }

    @Test
    void aSavepointBehindTheCallLeavesBoth() {
        with(shop -> {
            shop.transaction().executeWithoutResult(status -> {
                shop.orders().place("k");
                Object savepoint = status.createSavepoint();
                status.rollbackToSavepoint(savepoint);
            });

            shop.assertEffects(1);
            assertThat(shop.stateOutside()).isEqualTo("C");
            shop.awaitCounted(IdempotencyOutcome.EXECUTED);
        });
    }

    /** Committed as it is, the first result would be what a repeated call gets. */
    @Test
    void aResultThatAsksForARetryIsNotTheLastOne() {
        with(shop -> {
            assertThat(shop.orders().poll("k")).isEqualTo("order 3");

            shop.assertEffects(3);
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.orders().poll("k")).isEqualTo("order 3");
        });
    }

    @Test
    void withoutATransactionTheRecordIsWrittenByItself() {
        with(shop -> {
            assertThat(shop.orders().placeWithoutTransaction("k")).isEqualTo("order 1");

            assertThat(shop.stateOutside()).isEqualTo("C");
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
        });
    }

    @Test
    void aCallerThatCatchesTheExceptionOfAReplacedOwnerIsRolledBackAllTheSame() {
        with(shop -> {
            shop.orders().beforeReturning(shop::takeOver);

            assertThatThrownBy(() -> shop.transaction()
                            .executeWithoutResult(status -> assertThatThrownBy(
                                            () -> shop.orders().placeWithoutTransaction("k"))
                                    .isInstanceOf(IdempotencyLeaseLostException.class)))
                    .isInstanceOf(IdempotencyLeaseLostException.class);

            shop.assertEffects(0);
            assertThat(shop.stateOutside()).isEqualTo("R");
        });
    }

    @Test
    void aReadOnlyTransactionIsNotWrittenIn() {
        with(shop -> {
            assertThat(shop.orders().look("k")).isEqualTo("looked");
            assertThat(shop.orders().look("k")).isEqualTo("looked");

            assertThat(shop.stateOutside()).isEqualTo("C");
            shop.assertCounted(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
        });
    }

    /** What the application does. */
    static class Orders {

        private final JdbcTemplate jdbc;
        private int number;
        private Runnable beforeReturning = () -> {};
        private @Nullable Exception failure;

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        void beforeReturning(Runnable action) {
            beforeReturning = action;
        }

        void failOnce(Exception once) {
            failure = once;
        }

        @Idempotent(key = "#key")
        @Transactional
        public String place(String key) {
            return effect();
        }

        @Idempotent(key = "#key")
        @Retryable("default")
        @Transactional(rollbackFor = Exception.class)
        public String placeWithRetry(String key) throws Exception {
            String order = effect();
            if (failure != null) {
                Exception thrown = failure;
                failure = null;
                throw thrown;
            }
            return order;
        }

        @Idempotent(key = "#key")
        @Transactional
        public String placeLarge(String key) {
            return effect() + "x".repeat(300 * 1024);
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String placeInNewTransaction(String key) {
            return effect();
        }

        @Idempotent(key = "#key")
        @Retryable("polling")
        @Transactional
        public String poll(String key) {
            return effect();
        }

        @Idempotent(key = "#key")
        public String placeWithoutTransaction(String key) {
            return effect();
        }

        @Idempotent(key = "#key")
        @Transactional(readOnly = true)
        public String look(String key) {
            return "looked";
        }

        private String effect() {
            String order = "order " + ++number;
            jdbc.update("INSERT INTO effects (name) VALUES (?)", order);
            beforeReturning.run();
            return order;
        }
    }
}
