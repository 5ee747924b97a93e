package dev.resilience.spring.idempotency.jdbc.connection;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/**
 * A data source and what it wraps.
 *
 * @param own hands out connections that are in no transaction of the thread: what is inside of the innermost
 *     {@link TransactionAwareDataSourceProxy}, or the data source itself if there is none
 * @param boundTo to which of the layers a transaction manager may bind the connection of its transaction, outermost first.
 *     Managers see through one {@code TransactionAwareDataSourceProxy}, and through nothing else
 */
public record DataSourceLayers(DataSource own, List<DataSource> boundTo) {

    public static DataSourceLayers of(DataSource given) {
        DataSource own = given;
        List<DataSource> boundTo = new ArrayList<>();
        DataSource layer = given;
        while (true) {
            DataSource inner = inner(layer);
            if (layer instanceof TransactionAwareDataSourceProxy) {
                own = Objects.requireNonNull(inner);
            } else {
                boundTo.add(layer);
            }
            if (inner == null) {
                return new DataSourceLayers(own, List.copyOf(boundTo));
            }
            layer = inner;
        }
    }

    /** What a data source of Spring's wraps, or another proxy that lets itself be unwrapped to one of those. */
    private static @Nullable DataSource inner(DataSource layer) {
        if (layer instanceof DelegatingDataSource delegating) {
            return delegating.getTargetDataSource();
        }
        try {
            return layer.isWrapperFor(DelegatingDataSource.class) ? layer.unwrap(DelegatingDataSource.class) : null;
        } catch (SQLException | RuntimeException untold) { // among them those that choose their target by the thread
            return null;
        }
    }
}
