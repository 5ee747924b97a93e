package dev.resilience.spring.idempotency.jdbc.check;

import dev.resilience.idempotency.IdempotencyPolicy;
import dev.resilience.spring.StartupWarnings;
import dev.resilience.spring.idempotency.IdempotentMethodCheck;
import dev.resilience.spring.idempotency.jdbc.JdbcIdempotencyStore;
import java.lang.reflect.Method;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;

/**
 * Warns of a pool of one connection where leases have to be renewed on that one: a method that has it for longer than its
 * lease loses its key to another instance.
 */
public final class PoolSizeCheck implements IdempotentMethodCheck {

    private static final int LEAST = 2;

    private final JdbcIdempotencyStore store;
    private final ObjectProvider<DataSourcePoolMetadataProvider> pools;
    private final StartupWarnings warnings;
    private final AtomicBoolean checked = new AtomicBoolean();

    public PoolSizeCheck(
            JdbcIdempotencyStore store,
            ObjectProvider<DataSourcePoolMetadataProvider> pools,
            StartupWarnings warnings) {
        this.store = store;
        this.pools = pools;
        this.warnings = warnings;
    }

    @Override
    public void check(Method method, Class<?> type, String name, IdempotencyPolicy policy, boolean asynchronous) {
        if (store.hasConnectionApart() || checked.getAndSet(true)) {
            return;
        }
        pools.orderedStream()
                .map(pool -> pool.getDataSourcePoolMetadata(store.dataSource()))
                .filter(Objects::nonNull)
                .map(pool -> pool.getMax())
                .filter(max -> max != null && max > 0 && max < LEAST)
                .findFirst()
                .ifPresent(
                        max -> warnings.add("Methods are @Idempotent with records in a database whose connection pool "
                                + "has " + max
                                + " connection: while a transaction has it, no lease is renewed, and a method that "
                                + "takes longer than its lease loses its key to another instance. Allow the pool at least "
                                + LEAST
                                + " connections, or give the JdbcIdempotencyStore a HikariDataSource, beside which it has "
                                + "a connection of its own"));
    }
}
