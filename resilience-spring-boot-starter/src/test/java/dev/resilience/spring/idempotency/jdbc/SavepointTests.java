package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction that is rolled back to a savepoint, before the call or after it, and then committed or not. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class SavepointTests {

    private final Databases database;

    SavepointTests(Databases database) {
        this.database = database;
    }

    private interface Use {

        void with(TestShop shop, TransactionTemplate nested, Nested bean) throws Exception;
    }

    private void with(Use use) {
        TestShop.with(database, pool -> {}, runner -> runner.withBean(Nested.class), shop -> {
            TransactionTemplate nested = new TransactionTemplate(shop.transactions());
            nested.setPropagationBehavior(TransactionDefinition.PROPAGATION_NESTED);
            use.with(shop, nested, shop.beans().getBean(Nested.class));
        });
    }

    @Test
    void aResultThatIsRolledBackToASavepointIsNotKept() {
        with((shop, nested, bean) -> {
            shop.transaction().executeWithoutResult(outer -> {
                shop.jdbc().update("INSERT INTO effects (name) VALUES ('of the caller')");
                nested.executeWithoutResult(inner -> {
                    shop.orders().place("k");
                    inner.setRollbackOnly();
                });
            });

            shop.assertEffects(1);
            shop.awaitCounted(IdempotencyOutcome.RELEASED);
            assertThat(shop.orders().place("k")).isEqualTo("order 2");
            shop.assertEffects(2);
        });
    }

    @Test
    void aResultIsKeptThoughALaterSavepointIsRolledBackTo() {
        with((shop, nested, bean) -> {
            shop.transaction().executeWithoutResult(outer -> {
                shop.orders().place("k");
                nested.executeWithoutResult(inner -> {
                    shop.jdbc().update("INSERT INTO effects (name) VALUES ('undone')");
                    inner.setRollbackOnly();
                });
            });

            shop.assertEffects(1);
            shop.awaitCounted(IdempotencyOutcome.EXECUTED);
            assertThat(shop.orders().place("k")).isEqualTo("order 1");
            shop.assertEffects(1);
        });
    }

    @Test
    void ofTwoResultsTheOneAfterTheSavepointIsNotKept() {
        with((shop, nested, bean) -> {
            shop.transaction().executeWithoutResult(outer -> {
                shop.orders().place("kept");
                nested.executeWithoutResult(inner -> {
                    shop.orders().place("undone");
                    inner.setRollbackOnly();
                });
            });

            shop.assertEffects(1);
            shop.awaitCounted(IdempotencyOutcome.EXECUTED, IdempotencyOutcome.RELEASED);
            assertThat(shop.orders().place("kept")).isEqualTo("order 1");
            assertThat(shop.orders().place("undone")).isEqualTo("order 3");
        });
    }

    @Test
    void aNestedMethodThatReturnsIsCommittedWithItsCaller() {
        with((shop, nested, bean) -> {
            shop.transaction().executeWithoutResult(outer -> bean.pay("k", false));

            shop.assertEffects(1);
            shop.awaitCounted(IdempotencyOutcome.EXECUTED);
            assertThat(bean.pay("k", false)).isEqualTo("paid k");
            shop.assertEffects(1);
        });
    }

    @Test
    void aNestedMethodThatThrowsFreesItsKeyAndLeavesItsCallersTransaction() {
        with((shop, nested, bean) -> {
            shop.transaction().executeWithoutResult(outer -> {
                shop.jdbc().update("INSERT INTO effects (name) VALUES ('of the caller')");
                assertThatIllegalStateException().isThrownBy(() -> bean.pay("k", true));
            });

            shop.assertEffects(1);
            shop.awaitCounted(IdempotencyOutcome.RELEASED);
            assertThat(bean.pay("k", false)).isEqualTo("paid k");
            shop.assertEffects(2);
        });
    }

    @Test
    void aNestedMethodIsRolledBackWithItsCaller() {
        with((shop, nested, bean) -> {
            shop.transaction().executeWithoutResult(outer -> {
                bean.pay("k", false);
                outer.setRollbackOnly();
            });

            shop.assertEffects(0);
            shop.awaitCounted(IdempotencyOutcome.RELEASED);
            assertThat(bean.pay("k", false)).isEqualTo("paid k");
            shop.assertEffects(1);
        });
    }

    /** What the application does. */
    static class Nested {

        private final JdbcTemplate jdbc;

        Nested(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.NESTED)
        public String pay(String key, boolean fails) {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", key);
            if (fails) {
                throw new IllegalStateException("of the body");
            }
            return "paid " + key;
        }
    }
}
