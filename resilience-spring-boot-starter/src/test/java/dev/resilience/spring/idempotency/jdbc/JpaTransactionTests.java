package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import dev.resilience.exception.IdempotencyLeaseLostException;
import dev.resilience.idempotency.Idempotency;
import dev.resilience.spring.ResilienceRegistry;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.CountedOutcomes;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.Id;
import jakarta.persistence.PersistenceContext;
import jakarta.persistence.PersistenceException;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.persistenceunit.PersistenceManagedTypes;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

/** Effect and record commit together where JPA writes the effect. */
@ParameterizedClass
@MethodSource("dev.resilience.spring.idempotency.jdbc.Databases#atHand")
class JpaTransactionTests {

    private static final String TABLE = JdbcIdempotencyStore.DEFAULT_TABLE;

    private final Databases database;

    JpaTransactionTests(Databases database) {
        this.database = database;
    }

    private interface Use {

        void with(Orders orders, JdbcTemplate outside, TransactionTemplate transaction, Idempotency idempotency);
    }

    private void with(Use use) {
        try (HikariDataSource pool = database.pool();
                HikariDataSource other = database.pool()) {
            JdbcTemplate outside = new JdbcTemplate(other);
            outside.execute("DROP TABLE IF EXISTS effects");
            outside.execute("DROP TABLE IF EXISTS " + TABLE);
            outside.execute("CREATE TABLE effects (name VARCHAR(100) PRIMARY KEY)");
            TestShop.runner(pool)
                    .withUserConfiguration(Persistence.class)
                    .withBean(Orders.class)
                    .run(context -> {
                        assertThat(context).hasNotFailed();
                        assertThat(context.getBean(StartupWarnings.class).all())
                                .noneMatch(warning -> warning.contains("@Idempotent"));
                        use.with(
                                context.getBean(Orders.class),
                                outside,
                                new TransactionTemplate(context.getBean(JpaTransactionManager.class)),
                                Objects.requireNonNull(context.getBean(ResilienceRegistry.class)
                                        .idempotencies()
                                        .get("default")));
                    });
        }
    }

    private static List<String> effects(JdbcTemplate outside) {
        return outside.queryForList("SELECT name FROM effects", String.class);
    }

    private static List<String> states(JdbcTemplate outside) {
        return outside.queryForList("SELECT state FROM " + TABLE, String.class);
    }

    @Test
    void theResultIsWrittenInTheTransaction() {
        with((orders, outside, transaction, idempotency) -> {
            transaction.executeWithoutResult(status -> {
                assertThat(orders.place("k")).isEqualTo("order k");
                assertThat(states(outside)).containsExactly("R");
            });

            assertThat(states(outside)).containsExactly("C");
            assertThat(orders.place("k")).isEqualTo("order k");
            assertThat(effects(outside)).containsExactly("k");
            CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.EXECUTED, IdempotencyOutcome.REPLAYED);
        });
    }

    /** JPA writes the effect at the commit, after the record. */
    @Test
    void anEffectThatCannotBeWrittenTakesTheRecordWithIt() {
        with((orders, outside, transaction, idempotency) -> {
            outside.update("INSERT INTO effects VALUES ('k')");

            assertThatThrownBy(() -> orders.place("k"))
                    .isInstanceOfAny(DataAccessException.class, PersistenceException.class);

            assertThat(states(outside)).isEmpty();
            CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.RELEASED);
            outside.update("DELETE FROM effects");
            assertThat(orders.place("k")).isEqualTo("order k");
        });
    }

    @Test
    void anOwnerThatWasReplacedIsRolledBack() {
        with((orders, outside, transaction, idempotency) -> {
            orders.beforeReturning(() -> outside.update("UPDATE " + TABLE + " SET owner = 'another', fence = 7"));

            assertThatThrownBy(() -> orders.place("k")).isInstanceOf(IdempotencyLeaseLostException.class);

            assertThat(effects(outside)).isEmpty();
            assertThat(states(outside)).containsExactly("R");
        });
    }

    @Test
    void aResultWhoseEffectIsRolledBackIsNotKept() {
        with((orders, outside, transaction, idempotency) -> {
            orders.beforeReturning(
                    () -> TransactionAspectSupport.currentTransactionStatus().setRollbackOnly());

            assertThat(orders.place("k")).isEqualTo("order k");

            assertThat(effects(outside)).isEmpty();
            assertThat(states(outside)).isEmpty();
            orders.beforeReturning(() -> {});
            assertThat(orders.place("k")).isEqualTo("order k");
            assertThat(effects(outside)).containsExactly("k");
            CountedOutcomes.assertCounted(idempotency, IdempotencyOutcome.RELEASED, IdempotencyOutcome.EXECUTED);
        });
    }

    @Configuration(proxyBeanMethods = false)
    static class Persistence {

        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setDataSource(dataSource);
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setPersistenceUnitName("test");
            factory.setManagedTypes(PersistenceManagedTypes.of(Effect.class.getName()));
            return factory;
        }

        @Bean
        JpaTransactionManager transactionManager() {
            return new JpaTransactionManager();
        }
    }

    @Entity(name = "effects")
    static class Effect {

        @Id
        @Nullable
        String name;
    }

    /** What the application does. */
    static class Orders {

        @PersistenceContext
        @SuppressWarnings("NullAway.Init") // injected
        private EntityManager entities;

        private Runnable beforeReturning = () -> {};

        void beforeReturning(Runnable action) {
            beforeReturning = action;
        }

        @Idempotent(key = "#key")
        @Transactional
        public String place(String key) {
            Effect effect = new Effect();
            effect.name = key;
            entities.persist(effect);
            beforeReturning.run();
            return "order " + key;
        }
    }
}
