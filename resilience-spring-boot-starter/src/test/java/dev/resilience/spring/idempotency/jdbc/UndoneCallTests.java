package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.resilience.annotation.Idempotent;
import dev.resilience.event.IdempotencyOutcome;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.UnexpectedRollbackException;
import org.springframework.transaction.annotation.Propagation;
import org.springframework.transaction.annotation.Transactional;
import org.springframework.transaction.interceptor.TransactionAspectSupport;
import org.springframework.transaction.support.TransactionTemplate;

/** A method that returns although it has its transaction rolled back: its result has no effect behind it, and is not kept. */
@ParameterizedClass
@MethodSource("storesAndDatabases")
class UndoneCallTests {

    private static final String JDBC = "resilience.idempotency-store.type=jdbc";
    private static final String NEVER = "resilience.idempotency.default.transactional=never";

    private final Databases database;
    private final String property;

    UndoneCallTests(Databases database, String property) {
        this.database = database;
        this.property = property;
    }

    /** All combinations with {@code -Plong}; otherwise each database with one of the two properties. */
    static Stream<Arguments> storesAndDatabases() {
        return Stream.concat(
                Databases.atHand().stream()
                        .flatMap(database -> Stream.of(JDBC, NEVER)
                                .filter(property -> ServerDatabases.IS_LONG
                                        || property.equals(database == Databases.H2 ? NEVER : JDBC))
                                .map(property -> Arguments.of(database, property))),
                Stream.of(Arguments.of(Databases.H2, "resilience.idempotency-store.type=memory")));
    }

    private void with(TestShop.Use use) {
        with(Manager.BOOTS, use);
    }

    private void with(Manager manager, TestShop.Use use) {
        TestShop.with(
                database,
                pool -> {},
                runner -> manager.in(runner)
                        .withBean(Bookings.class)
                        .withBean(Callers.class)
                        .withPropertyValues(property),
                use);
    }

    enum Manager {
        BOOTS {
            @Override
            ApplicationContextRunner in(ApplicationContextRunner runner) {
                return runner;
            }
        },
        DATA_SOURCE {
            @Override
            ApplicationContextRunner in(ApplicationContextRunner runner) {
                return runner.withUserConfiguration(OfDataSource.class);
            }
        },
        /** Takes no listener, as one that a library wraps around another. */
        WRAPPED {
            @Override
            ApplicationContextRunner in(ApplicationContextRunner runner) {
                return runner.withUserConfiguration(Wrapped.class);
            }
        },
        JPA {
            @Override
            ApplicationContextRunner in(ApplicationContextRunner runner) {
                return runner.withUserConfiguration(JpaTransactionTests.Persistence.class);
            }
        };

        abstract ApplicationContextRunner in(ApplicationContextRunner runner);
    }

    @Configuration(proxyBeanMethods = false)
    static class OfDataSource {

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }

    @Configuration(proxyBeanMethods = false)
    static class Wrapped {

        @Bean
        PlatformTransactionManager transactionManager(DataSource dataSource) {
            return new WithoutListeners(new DataSourceTransactionManager(dataSource));
        }
    }

    private record WithoutListeners(PlatformTransactionManager wrapped) implements PlatformTransactionManager {

        @Override
        public TransactionStatus getTransaction(@Nullable TransactionDefinition definition) {
            return wrapped.getTransaction(definition);
        }

        @Override
        public void commit(TransactionStatus status) {
            wrapped.commit(status);
        }

        @Override
        public void rollback(TransactionStatus status) {
            wrapped.rollback(status);
        }
    }

    /** Who call in a transaction that they have marked. */
    static class Callers {

        private final TransactionTemplate another;

        Callers(PlatformTransactionManager manager) {
            this.another = new TransactionTemplate(manager);
            another.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        }

        @Transactional
        public String marksAndBeginsAnother(String key, UnaryOperator<String> call) {
            TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            return another.<String>execute(status -> call.apply(key));
        }
    }

    /** The first call was undone: the next one runs, and a third one gets its result. */
    private static void assertRunsAgain(TestShop shop, Bookings bookings) {
        shop.assertEffects(0);
        shop.awaitCounted(IdempotencyOutcome.RELEASED);
        bookings.undoNothing();
        assertThat(bookings.book("k")).isEqualTo("booking 2");
        assertThat(bookings.book("k")).isEqualTo("booking 2");
        shop.assertEffects(1);
    }

    @ParameterizedTest
    @EnumSource
    void inItsOwnTransaction(Manager manager) {
        with(manager, shop -> {
            Bookings bookings = shop.beans().getBean(Bookings.class);

            assertThat(bookings.book("k")).isEqualTo("booking 1");

            assertRunsAgain(shop, bookings);
        });
    }

    @ParameterizedTest
    @EnumSource
    void inItsCallersTransaction(Manager manager) {
        with(manager, shop -> {
            Bookings bookings = shop.beans().getBean(Bookings.class);

            assertThatThrownBy(() -> shop.transaction()
                            .executeWithoutResult(
                                    status -> assertThat(bookings.book("k")).isEqualTo("booking 1")))
                    .isInstanceOf(UnexpectedRollbackException.class);

            assertRunsAgain(shop, bookings);
        });
    }

    @Test
    void inANewTransactionBesideItsCallers() {
        with(shop -> {
            Bookings bookings = shop.beans().getBean(Bookings.class);

            shop.transaction()
                    .executeWithoutResult(status ->
                            assertThat(bookings.bookInNewTransaction("k")).isEqualTo("booking 1"));

            shop.assertEffects(0);
            shop.awaitCounted(IdempotencyOutcome.RELEASED);
            bookings.undoNothing();
            assertThat(bookings.bookInNewTransaction("k")).isEqualTo("booking 2");
            shop.assertEffects(1);
        });
    }

    /** The mark is the suspended transaction's. */
    @ParameterizedTest
    @EnumSource
    void notInANewTransactionInsideOfAMarkedOne(Manager manager) {
        with(manager, shop -> {
            Bookings bookings = shop.beans().getBean(Bookings.class);
            Callers callers = shop.beans().getBean(Callers.class);
            bookings.undoNothing();

            assertThat(callers.marksAndBeginsAnother("k", bookings::bookInTransactionOfCaller))
                    .isEqualTo("booking 1");
            assertThat(callers.marksAndBeginsAnother("joins", bookings::book)).isEqualTo("booking 2");

            assertThat(bookings.bookInTransactionOfCaller("k")).isEqualTo("booking 1");
            assertThat(bookings.book("joins")).isEqualTo("booking 2");
            shop.assertEffects(2);
        });
    }

    @Test
    void inANestedTransaction() {
        with(shop -> {
            Bookings bookings = shop.beans().getBean(Bookings.class);

            shop.transaction()
                    .executeWithoutResult(
                            status -> assertThat(bookings.bookNested("k")).isEqualTo("booking 1"));

            shop.assertEffects(0);
            shop.awaitCounted(IdempotencyOutcome.RELEASED);
            bookings.undoNothing();
            assertThat(bookings.bookNested("k")).isEqualTo("booking 2");
            shop.assertEffects(1);
        });
    }

    /** What the application does. */
    static class Bookings {

        private final JdbcTemplate jdbc;
        private int number;
        private boolean undoes = true;

        Bookings(JdbcTemplate jdbc) {
            this.jdbc = jdbc;
        }

        void undoNothing() {
            undoes = false;
        }

        @Idempotent(key = "#key")
        @Transactional
        public String book(String key) {
            return effect();
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.REQUIRES_NEW)
        public String bookInNewTransaction(String key) {
            return effect();
        }

        @Idempotent(key = "#key")
        @Transactional(propagation = Propagation.NESTED)
        public String bookNested(String key) {
            return effect();
        }

        @Idempotent(key = "#key")
        public String bookInTransactionOfCaller(String key) {
            return effect();
        }

        private String effect() {
            String booking = "booking " + ++number;
            jdbc.update("INSERT INTO effects (name) VALUES (?)", booking);
            if (undoes) {
                TransactionAspectSupport.currentTransactionStatus().setRollbackOnly();
            }
            return booking;
        }
    }
}
