package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.event.IdempotencyOutcome;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.SocketException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * The connection is lost at the commit, before the server has it or after, under each of Spring's transaction managers.
 * Each tells of it in its own way; the next attempt finds out, and the caller has the result.
 */
class LostConnectionAtCommitTests {

    private static final int KEYS = 5;

    static Stream<Arguments> everyManager() {
        return Databases.atHand().stream()
                .flatMap(database -> Stream.of(Plain.class, Translating.class, JpaTransactionTests.Persistence.class)
                        .flatMap(manager ->
                                Stream.of(Fault.values()).map(fault -> Arguments.of(database, manager, fault))));
    }

    @ParameterizedTest
    @MethodSource("everyManager")
    void theCallerHasTheResultOfOneEffect(Databases database, Class<?> manager, Fault fault) {
        TestShop.with(
                database,
                pool -> {},
                runner -> runner.withUserConfiguration(manager).withBean(Wrapping.class),
                shop -> {
                    FaultyCommits commits = shop.beans().getBean(FaultyCommits.class);
                    for (int i = 1; i <= KEYS; i++) {
                        commits.next.set(fault);
                        int order = fault == Fault.ANSWER_LOST ? i : 2 * i;

                        assertThat(shop.orders().placeWithRetry("key " + i)).isEqualTo("order " + order);

                        assertThat(commits.next).hasValue(null);
                        assertThat(shop.orders().placeWithRetry("key " + i)).isEqualTo("order " + order);
                    }
                    shop.assertEffects(KEYS);
                    assertThat(shop.idempotency().calls().get(IdempotencyOutcome.EXECUTED))
                            .isEqualTo(KEYS);
                    assertThat(shop.idempotency().calls().get(IdempotencyOutcome.REPLAYED))
                            .isEqualTo(KEYS);
                });
    }

    /** What happens to a commit. */
    enum Fault {
        COMMIT_LOST,
        ANSWER_LOST
    }

    /** Spring's own, which passes on what the driver throws. */
    @Configuration(proxyBeanMethods = false)
    static class Plain {

        @Bean
        DataSourceTransactionManager transactionManager(DataSource dataSource) {
            return new DataSourceTransactionManager(dataSource);
        }
    }

    /** Boot's, which rolls back what could not be committed, and tells of that alone. */
    @Configuration(proxyBeanMethods = false)
    static class Translating {

        @Bean
        JdbcTransactionManager transactionManager(DataSource dataSource) {
            return new JdbcTransactionManager(dataSource);
        }
    }

    /** Puts the faults between the application and its pool. */
    static final class Wrapping implements BeanPostProcessor {

        @Override
        public Object postProcessAfterInitialization(Object bean, String name) {
            return bean instanceof HikariDataSource pool ? new FaultyCommits(pool) : bean;
        }
    }

    /** Connections that are lost at a commit as those of a pool are: closed from then on, without an SQLSTATE. */
    static final class FaultyCommits extends DelegatingDataSource {

        private static final Set<String> ALWAYS = Set.of("close", "isClosed", "hashCode", "equals", "toString");

        private final AtomicReference<@Nullable Fault> next = new AtomicReference<>();

        FaultyCommits(DataSource target) {
            super(target);
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection target = super.getConnection();
            boolean[] lost = {false};
            return (Connection) Proxy.newProxyInstance(
                    getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                        if (lost[0] && !ALWAYS.contains(method.getName())) {
                            throw new SQLException("Connection is closed");
                        }
                        Fault fault = method.getName().equals("commit") ? next.getAndSet(null) : null;
                        if (fault != null) {
                            lost[0] = true;
                            if (fault == Fault.ANSWER_LOST) {
                                target.commit();
                            } else {
                                target.rollback();
                            }
                            throw new SQLException(
                                    "An I/O error occurred while sending to the backend.",
                                    "08006",
                                    new SocketException("Connection reset"));
                        }
                        try {
                            return method.invoke(target, arguments);
                        } catch (InvocationTargetException failure) {
                            throw failure.getCause();
                        }
                    });
        }
    }
}
