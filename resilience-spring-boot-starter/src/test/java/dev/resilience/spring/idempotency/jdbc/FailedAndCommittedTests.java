package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.http.ResponseEntity;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.transaction.support.TransactionTemplate;

/** A transaction may be committed though its method threw, or returned what is not kept: Spring commits checked exceptions. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class FailedAndCommittedTests {

    private final Databases database;

    FailedAndCommittedTests(Databases database) {
        this.database = database;
    }

    private interface Use {

        void with(TestShop shop, Payments payments) throws Exception;
    }

    private void with(Use use) {
        TestShop.with(
                database,
                pool -> {},
                runner -> runner.withBean(Payments.class)
                        .withPropertyValues(
                                "resilience.retry.files.retry-on=java.io.FileNotFoundException",
                                "resilience.retry.files.backoff.base-delay=0",
                                "resilience.idempotency.answers.replay-exceptions=java.io.IOException"),
                shop -> use.with(shop, shop.beans().getBean(Payments.class)));
    }

    private static void takeOver(TestShop shop, Payments payments) {
        payments.beforeTheEnd(shop::takeOver);
    }

    @Test
    void anOwnerThatWasReplacedIsRolledBackThoughItThrew() {
        with((shop, payments) -> {
            takeOver(shop, payments);

            assertThatThrownBy(() -> payments.fail("k")).isInstanceOf(IdempotencyLeaseLostException.class);

            shop.assertEffects(0);
            assertThat(shop.stateOutside()).isEqualTo("R");
        });
    }

    @Test
    void anOwnerThatWasReplacedIsRolledBackThoughItsAnswerIsNotKept() {
        with((shop, payments) -> {
            takeOver(shop, payments);

            assertThatThrownBy(() -> payments.refuse("k")).isInstanceOf(IdempotencyLeaseLostException.class);

            shop.assertEffects(0);
        });
    }

    @Test
    void aFailureThatIsCommittedFreesTheKeyWithTheCommit() {
        with((shop, payments) -> {
            shop.transaction().executeWithoutResult(status -> {
                assertThatThrownBy(() -> payments.fail("k")).isInstanceOf(FileNotFoundException.class);
                assertThat(shop.stateOutside()).isEqualTo("R");
            });

            assertThat(shop.stateOutside()).isNull();
            shop.assertEffects(1);
            shop.assertCounted(IdempotencyOutcome.RELEASED);
        });
    }

    @Test
    void soDoesItsRollback() {
        with((shop, payments) -> {
            shop.transaction().executeWithoutResult(status -> {
                assertThatThrownBy(() -> payments.fail("k")).isInstanceOf(FileNotFoundException.class);
                status.setRollbackOnly();
            });

            assertThat(shop.stateOutside()).isNull();
            shop.assertEffects(0);
            shop.assertCounted(IdempotencyOutcome.RELEASED);
        });
    }

    @Test
    void anExceptionThatIsAnAnswerIsCommittedWithTheEffect() {
        with((shop, payments) -> {
            List<String> states = new ArrayList<>();
            payments.beforeTheEnd(() -> states.add(shop.stateInside()));

            assertThatThrownBy(() -> payments.answer("k")).isInstanceOf(FileNotFoundException.class);
            assertThatThrownBy(() -> payments.answer("k")).isInstanceOf(FileNotFoundException.class);

            shop.assertEffects(1);
            assertThat(shop.stateOutside()).isEqualTo("C");
            assertThat(states).containsExactly("R");
        });
    }

    @Test
    void anExceptionThatIsAnAnswerGoesWithTheCallersTransaction() {
        with((shop, payments) -> {
            TransactionTemplate transaction = shop.transaction();
            transaction.executeWithoutResult(status -> {
                assertThatThrownBy(() -> payments.answer("k")).isInstanceOf(FileNotFoundException.class);
                assertThat(shop.stateOutside()).isEqualTo("R");
                status.setRollbackOnly();
            });

            assertThat(shop.stateOutside()).isNull();
            shop.assertEffects(0);
        });
    }

    /** A callback of the commit itself: those that are registered in it are not called before it. */
    @Test
    void anExceptionThatIsAnAnswerIsKeptThoughItWasThrownWhileTheTransactionBeganToCommit() {
        with((shop, payments) -> {
            shop.transaction()
                    .executeWithoutResult(status ->
                            TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                                @Override
                                public void beforeCommit(boolean readOnly) {
                                    assertThatThrownBy(() -> payments.answer("k"))
                                            .isInstanceOf(FileNotFoundException.class);
                                }
                            }));

            assertThatThrownBy(() -> payments.answer("k")).isInstanceOf(FileNotFoundException.class);

            shop.assertEffects(1);
            assertThat(payments.runs()).isEqualTo(1);
        });
    }

    @Test
    void anExceptionThatIsAnAnswerIsKeptThoughItRolledTheMethodBack() {
        with((shop, payments) -> {
            assertThatThrownBy(() -> payments.answerAndRollBack("k")).isInstanceOf(FileNotFoundException.class);
            assertThatThrownBy(() -> payments.answerAndRollBack("k")).isInstanceOf(FileNotFoundException.class);

            shop.assertEffects(0);
            assertThat(payments.runs()).isEqualTo(1);
            assertThat(shop.stateOutside()).isEqualTo("C");
        });
    }

    @Test
    void anAttemptThatFailedDoesNotStandInTheWayOfTheNextOne() {
        with((shop, payments) -> {
            shop.transaction()
                    .executeWithoutResult(status ->
                            assertThatCode(() -> payments.failOnce("k")).doesNotThrowAnyException());

            shop.assertEffects(2);
            assertThat(shop.stateOutside()).isEqualTo("C");
            shop.assertCounted(IdempotencyOutcome.EXECUTED);
        });
    }

    /** What the application does. */
    static class Payments {

        private final JdbcTemplate jdbc;
        private int runs;
        private Runnable beforeTheEnd = () -> {};

        Payments(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        void beforeTheEnd(Runnable action) {
            beforeTheEnd = action;
        }

        int runs() {
            return runs;
        }

        @Idempotent(key = "#key")
        @Transactional
        public void fail(String key) throws IOException {
            pay();
            throw new FileNotFoundException(key);
        }

        @Idempotent(key = "#key")
        @Transactional
        public ResponseEntity<String> refuse(String key) {
            pay();
            return ResponseEntity.status(409).body("try again");
        }

        @Idempotent(value = "answers", key = "#key")
        @Transactional
        public void answer(String key) throws IOException {
            pay();
            throw new FileNotFoundException(key);
        }

        @Idempotent(value = "answers", key = "#key")
        @Transactional(rollbackFor = IOException.class)
        public void answerAndRollBack(String key) throws IOException {
            pay();
            throw new FileNotFoundException(key);
        }

        @Idempotent(key = "#key")
        @Retryable("files")
        @Transactional
        public String failOnce(String key) throws IOException {
            pay();
            if (runs == 1) {
                throw new FileNotFoundException(key);
            }
            return "paid";
        }

        private void pay() {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", "payment " + ++runs);
            beforeTheEnd.run();
        }
    }
}
