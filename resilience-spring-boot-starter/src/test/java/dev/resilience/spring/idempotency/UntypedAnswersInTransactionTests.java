package dev.resilience.spring.idempotency;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.idempotency.jdbc.Databases;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.boot.jdbc.autoconfigure.DataSourceTransactionManagerAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcTemplateAutoConfiguration;
import org.springframework.boot.transaction.autoconfigure.TransactionAutoConfiguration;
import org.springframework.http.HttpStatus;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.test.web.servlet.assertj.MockMvcTester;
import org.springframework.test.web.servlet.assertj.MvcTestResult;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.context.request.RequestContextHolder;

/** The JSON of an answer is made, and stored, before the transaction of the handler method is committed. */
class UntypedAnswersInTransactionTests {

    /** Which MockMvc leaves on the thread when a request fails. */
    @AfterEach
    void forgetRequests() {
        RequestContextHolder.resetRequestAttributes();
    }

    /** What a test does with an application. */
    private interface Use {

        void with(MockMvcTester mvc, JdbcTemplate jdbc);
    }

    /** In an application of its own, as in another process. */
    private static void with(Databases database, Use use) {
        IdempotentApplication.web()
                .withBean(DataSource.class, database::pool)
                .withPropertyValues(
                        "resilience.idempotency-store.type=jdbc",
                        "resilience.idempotency-store.jdbc.initialize-schema=always",
                        "resilience.idempotency.default.scope=none")
                .withConfiguration(SortedOnce.of(
                        DataSourceTransactionManagerAutoConfiguration.class,
                        TransactionAutoConfiguration.class,
                        JdbcTemplateAutoConfiguration.class))
                .withUserConfiguration(Orders.class)
                .run(context -> {
                    assertThat(context).hasNotFailed();
                    use.with(MockMvcTester.from(context), context.getBean(JdbcTemplate.class));
                });
    }

    private static void empty(Databases database) {
        try (HikariDataSource pool = database.pool()) {
            JdbcTemplate jdbc = new JdbcTemplate(pool);
            jdbc.execute("DROP TABLE IF EXISTS resilience_idempotency");
            jdbc.execute("DROP TABLE IF EXISTS placed");
            jdbc.execute("CREATE TABLE placed (name VARCHAR(100))");
        }
    }

    private static MvcTestResult post(MockMvcTester mvc, String how) {
        return mvc.post()
                .uri("/orders?how=" + how)
                .header("Idempotency-Key", "k")
                .exchange();
    }

    private static int placed(JdbcTemplate jdbc) {
        List<String> names = jdbc.queryForList("SELECT name FROM placed", String.class);
        return names.size();
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void effectAndAnswerAreCommittedTogether(Databases database) {
        empty(database);
        with(database, (mvc, jdbc) -> {
            assertThat(post(mvc, "well")).hasStatusOk().hasBodyTextEqualTo("{\"amount\":10.00,\"number\":1}");
            assertThat(placed(jdbc)).isEqualTo(1);
        });
        with(database, (mvc, jdbc) -> { // another process
            MvcTestResult answer = post(mvc, "well");
            assertThat(answer).hasStatusOk().hasBodyTextEqualTo("{\"amount\":10.00,\"number\":1}");
            assertThat(answer).hasHeader("Idempotency-Replayed", "true");
            assertThat(placed(jdbc)).isEqualTo(1);
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void aCommitThatFailsFreesTheKey(Databases database) {
        empty(database);
        with(database, (mvc, jdbc) -> {
            for (int call = 0; call < 2; call++) {
                assertThat(post(mvc, "refused")).failure().hasStackTraceContaining("refused at commit");
            }
            assertThat(placed(jdbc)).isZero();
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"H2", "POSTGRESQL"})
    void anAnswerThatCannotBeWrittenIsNoEffect(Databases database) {
        empty(database);
        with(database, (mvc, jdbc) -> {
            assertThat(post(mvc, "unwritable")).hasStatus(HttpStatus.SERVICE_UNAVAILABLE);
            assertThat(placed(jdbc)).isZero();
        });
    }

    /** A getter that fails, as one does that wants to load what a closed session would have had. */
    record Unwritable(String name) {

        @Override
        public String name() {
            throw new IllegalStateException("no session");
        }
    }

    @RestController
    static class Orders {

        private final JdbcTemplate jdbc;
        private final AtomicInteger calls = new AtomicInteger();

        Orders(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        @PostMapping("/orders")
        @Idempotent(header = "Idempotency-Key")
        @Transactional
        public Map<String, Object> place(@RequestParam String how) {
            jdbc.update("INSERT INTO placed VALUES (?)", how);
            if (how.equals("refused")) {
                TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
                    @Override
                    public void beforeCommit(boolean readOnly) {
                        throw new IllegalStateException("refused at commit");
                    }
                });
            }
            Map<String, Object> order = new TreeMap<>();
            order.put("number", how.equals("unwritable") ? new Unwritable("x") : calls.incrementAndGet());
            order.put("amount", new BigDecimal("10.00"));
            return order;
        }
    }
}
