package dev.resilience.spring.deadletter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Fallback;
import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.deadletter.StoredLetter;
import dev.resilience.deadletter.StoredLetter.State;
import dev.resilience.spring.Applications;
import dev.resilience.spring.Callee;
import dev.resilience.spring.LiveRegistry;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.autoconfigure.ResilienceJdbcAutoConfiguration;
import dev.resilience.spring.autoconfigure.ResilienceTransactionAutoConfiguration;
import dev.resilience.spring.deadletter.DeadLetterMethods;
import dev.resilience.spring.deadletter.DeadLetters;
import dev.resilience.spring.deadletter.DeadLetters.KeepingRetry;
import dev.resilience.spring.deadletter.DeadLetters.Replayed;
import dev.resilience.spring.idempotency.jdbc.Databases;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import dev.resilience.time.ManualTimeSource;
import java.net.ConnectException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.annotation.Autowired;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.context.ApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionTemplate;

/** Letters of transactional methods, of callers in transactions, and of several applications on one table. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
@Timeout(120)
class TransactionalLettersTests {

    private static final String TABLE = JdbcDeadLetterStore.DEFAULT_TABLE;

    static class Shop {

        @Autowired
        Callee callee;

        @Autowired
        JdbcTemplate jdbc;

        Runnable beforeCommit = () -> {};

        @Retryable("kept")
        @Transactional(rollbackFor = Exception.class)
        public void order(String id) throws Exception {
            jdbc.update("INSERT INTO effects (name) VALUES (?)", id);
            callee.call();
            beforeCommit.run();
        }

        @Retryable("kept")
        public void tell(String id) throws ConnectException {
            callee.call();
            jdbc.update("INSERT INTO effects (name) VALUES (?)", id);
        }

        @Fallback("accepted")
        @Retryable("kept")
        @Transactional(rollbackFor = Exception.class)
        public String orderLater(String id) throws Exception {
            order(id);
            return "done";
        }

        String accepted(String id) {
            return "accepted";
        }

        @Idempotent(key = "#id")
        @Retryable("kept")
        @Transactional(rollbackFor = Exception.class)
        public void orderOnce(String id) throws Exception {
            order(id);
        }

        public void beforeCommit(Runnable action) {
            beforeCommit = action;
        }
    }

    /** Another application, which has the same policy and other methods. */
    static class Bank {

        @Retryable("kept")
        public void pay(String id) {}
    }

    private final HikariDataSource pool;
    private final JdbcTemplate outside;

    TransactionalLettersTests(Databases database) {
        this.pool = database.pool();
        pool.setConnectionTimeout(5_000);
        this.outside = new JdbcTemplate(pool);
        outside.execute("DROP TABLE IF EXISTS effects");
        outside.execute("DROP TABLE IF EXISTS " + TABLE);
        outside.execute("DROP TABLE IF EXISTS " + JdbcIdempotencyStore.DEFAULT_TABLE);
        outside.execute("CREATE TABLE effects (name VARCHAR(100))");
    }

    @AfterEach
    void close() {
        outside.execute("DROP TABLE IF EXISTS " + TABLE);
        pool.close();
    }

    private ApplicationContextRunner application(DataSource dataSource, Class<?> component) {
        return Applications.plain(component)
                .withConfiguration(SortedOnce.of(
                        TransactionAutoConfiguration.class,
                        DataSourceTransactionManagerAutoConfiguration.class,
                        ResilienceTransactionAutoConfiguration.class,
                        ResilienceJdbcAutoConfiguration.class))
                .withBean("dataSource", DataSource.class, () -> dataSource, bean -> bean.setDestroyMethodName(""))
                .withBean(JdbcTemplate.class, () -> new JdbcTemplate(dataSource))
                .withPropertyValues(
                        "resilience.retry.kept.dead-letter=true",
                        "resilience.retry.kept.dead-letter.replay=auto",
                        "resilience.idempotency-store.type=jdbc",
                        "resilience.idempotency-store.jdbc.initialize-schema=always",
                        "resilience.dead-letter-store.jdbc.initialize-schema=always");
    }

    private static DeadLetters letters(ApplicationContext context) {
        return context.getBean(LiveRegistry.class)
                .<KeepingRetry>ofKind("retry")
                .get("kept")
                .letters();
    }

    private static List<StoredLetter> stored(ApplicationContext context) {
        return context.getBean(DeadLetterStore.class).list("kept", 10);
    }

    private static Replayed replay(ApplicationContext context) {
        return Objects.requireNonNull(letters(context)
                .replay(stored(context).get(0).letter().id(), context.getBean(DeadLetterMethods.class)));
    }

    private List<String> effects() {
        return outside.queryForList("SELECT name FROM effects", String.class);
    }

    private void letPass() {
        outside.update("UPDATE " + TABLE + " SET due_at = due_at - 3600000000");
    }

    /** A call of the shop. */
    @FunctionalInterface
    interface Call {

        void of(Shop shop) throws Exception;
    }

    private static void lose(ApplicationContext context, Call call) {
        context.getBean(Callee.class).failNext(3);
        assertThatThrownBy(() -> call.of(context.getBean(Shop.class))).isInstanceOf(ConnectException.class);
    }

    @Test
    void theLetterStaysWhereTheMethodsTransactionRollsBackAndAReplayCommitsOnce() {
        application(pool, Shop.class).run(context -> {
            lose(context, shop -> shop.order("A"));
            assertThat(effects()).isEmpty();

            assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);

            assertThat(effects()).containsExactly("A");
            assertThat(stored(context)).isEmpty();
        });
    }

    private static void loseAndRollBack(ApplicationContext context, Call call) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            lose(context, call);
            status.setRollbackOnly();
        });
    }

    @Test
    void theLetterStaysAndComesThoughTheCallersTransactionRollsBack() {
        application(pool, Shop.class).run(context -> {
            loseAndRollBack(context, shop -> shop.tell("A"));

            assertThat(effects()).isEmpty();
            assertThat(replay(context).result()).isEqualTo(Replayed.Result.SUCCEEDED);
            assertThat(effects()).containsExactly("A");
        });
    }

    @Test
    void aCallWhoseFailureHasDoomedTheCallersTransactionIsNotKept() {
        application(pool, Shop.class).run(context -> {
            loseAndRollBack(context, shop -> shop.order("A"));

            assertThat(context.getBean(Callee.class).calls()).isEqualTo(1);
            assertThat(stored(context)).isEmpty();
        });
    }

    @Test
    void aReplayThatFailsLeavesNothingBehindButItsLetter() {
        application(pool, Shop.class).run(context -> {
            lose(context, shop -> shop.order("A"));
            context.getBean(Callee.class).failNext(3);

            assertThat(replay(context).result()).isEqualTo(Replayed.Result.FAILED);

            assertThat(effects()).isEmpty();
            assertThat(stored(context))
                    .singleElement()
                    .extracting(StoredLetter::state)
                    .isEqualTo(State.FAILED);
        });
    }

    /** What a process that dies between the commit and the removal of the letter leaves behind. */
    private void commitAndDie(ApplicationContext context) {
        DeadLetterStore store = context.getBean(DeadLetterStore.class);
        Objects.requireNonNull(store.claimDue("kept", Duration.ofSeconds(30)));
    }

    @Test
    void aProcessThatDiesAfterTheCommitLeavesItsLetterToBeReplayedTwice() throws Exception {
        application(pool, Shop.class).run(context -> {
            lose(context, shop -> shop.order("A"));
            letPass();
            commitAndDie(context);
            context.getBean(Shop.class).order("A");
            letPass();

            assertThat(stored(context))
                    .singleElement()
                    .extracting(StoredLetter::state)
                    .isEqualTo(State.ABANDONED);
            assertThat(letters(context).replayDue(context.getBean(DeadLetterMethods.class)))
                    .extracting(Replayed::result)
                    .isEqualTo(Replayed.Result.SUCCEEDED);
            assertThat(effects()).as("at least once").containsExactly("A", "A");
        });
    }

    @Test
    void withAnIdempotencyKeyOfTheArgumentsItHasOneEffect() throws Exception {
        application(pool, Shop.class).run(context -> {
            lose(context, shop -> shop.orderOnce("A"));
            letPass();
            commitAndDie(context);
            context.getBean(Shop.class).orderOnce("A");
            letPass();

            assertThat(letters(context).replayDue(context.getBean(DeadLetterMethods.class)))
                    .extracting(Replayed::result)
                    .isEqualTo(Replayed.Result.SUCCEEDED);
            assertThat(effects()).containsExactly("A");
            assertThat(stored(context)).isEmpty();
        });
    }

    @Test
    void aFullTableOfConnectionsCostsNoLetter() {
        pool.getHikariConfigMXBean().setMaximumPoolSize(2);
        application(pool, Shop.class).run(context -> {
            context.getBean(Callee.class).failNext(Integer.MAX_VALUE);
            CountDownLatch both = new CountDownLatch(2);
            Executor threads = task -> new Thread(task).start(); // the common pool may have one thread
            List<CompletableFuture<Void>> callers = List.of(
                    CompletableFuture.runAsync(() -> callInTransaction(context, both), threads),
                    CompletableFuture.runAsync(() -> callInTransaction(context, both), threads));
            callers.forEach(CompletableFuture::join);

            assertThat(stored(context)).hasSize(2);
        });
    }

    private static void callInTransaction(ApplicationContext context, CountDownLatch all) {
        new TransactionTemplate(context.getBean(PlatformTransactionManager.class)).executeWithoutResult(status -> {
            context.getBean(JdbcTemplate.class).queryForList("SELECT name FROM effects");
            all.countDown();
            try {
                all.await();
            } catch (InterruptedException never) {
                throw new IllegalStateException(never);
            }
            assertThatThrownBy(() -> context.getBean(Shop.class).tell("A")).isInstanceOf(ConnectException.class);
        });
    }

    @Test
    void aWrappedPoolWithoutASecondConnectionLosesTheLetterAndNotTheCallersFailure() {
        pool.setConnectionTimeout(250);
        pool.setMaximumPoolSize(1);
        application(new DelegatingDataSource(pool), Shop.class).run(context -> {
            context.getBean(Callee.class).failNext(3);

            callInTransaction(context, new CountDownLatch(1));

            assertThat(stored(context)).isEmpty();
            assertThat(letters(context).calls().byLabel()).containsEntry("store_failure", 1L);
        });
    }

    @Test
    void aFallbackAnswersForACallThatIsKept() {
        application(pool, Shop.class).run(context -> {
            context.getBean(Callee.class).failNext(3);

            assertThat(context.getBean(Shop.class).orderLater("A")).isEqualTo("accepted");

            assertThat(stored(context)).hasSize(1);
        });
    }

    @Test
    void ofTwoApplicationsOnOneTableEachReplaysItsOwnLetters() {
        application(pool, Shop.class).run(shop -> {
            lose(shop, each -> each.order("A"));
            letPass();
            application(pool, Bank.class).run(bank -> {
                Replayed foreign =
                        Objects.requireNonNull(letters(bank).replayDue(bank.getBean(DeadLetterMethods.class)));
                assertThat(foreign.result()).isEqualTo(Replayed.Result.NOT_MADE);
                assertThat(letters(bank).replayDue(bank.getBean(DeadLetterMethods.class)))
                        .isNull();
            });
            assertThat(stored(shop).get(0).replays()).isZero();
            letPass();

            assertThat(letters(shop).replayDue(shop.getBean(DeadLetterMethods.class)))
                    .extracting(Replayed::result)
                    .isEqualTo(Replayed.Result.SUCCEEDED);
            assertThat(effects()).containsExactly("A");
        });
    }

    @Test
    void whileOneNodeReplaysALetterAnotherOneDoesNot() {
        application(pool, Shop.class)
                .run(one -> application(pool, Shop.class).run(two -> {
                    lose(one, shop -> shop.order("A"));
                    two.getBean(ManualTimeSource.class)
                            .advance(Duration.ofHours(2)); // leases last by the database's clock
                    letPass();
                    one.getBean(Shop.class)
                            .beforeCommit(() -> assertThat(letters(two).replayDue(two.getBean(DeadLetterMethods.class)))
                                    .isNull());

                    assertThat(letters(one).replayDue(one.getBean(DeadLetterMethods.class)))
                            .extracting(Replayed::result)
                            .isEqualTo(Replayed.Result.SUCCEEDED);
                    assertThat(letters(two).replayDue(two.getBean(DeadLetterMethods.class)))
                            .isNull();
                    assertThat(effects()).containsExactly("A");
                }));
    }
}
