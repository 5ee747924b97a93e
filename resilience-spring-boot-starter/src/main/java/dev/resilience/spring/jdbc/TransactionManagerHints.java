package dev.resilience.spring.jdbc;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** In a native image too, {@link TransactionCheck} can ask transaction managers for their data source. */
final class TransactionManagerHints implements RuntimeHintsRegistrar {

    private static final List<String> MANAGERS = List.of(
            "org.springframework.jdbc.datasource.DataSourceTransactionManager",
            "org.springframework.orm.jpa.JpaTransactionManager",
            "org.springframework.orm.jpa.hibernate.HibernateTransactionManager");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        for (String manager : MANAGERS) {
            hints.reflection()
                    .registerTypeIfPresent(
                            classLoader,
                            manager,
                            type -> type.withMethod("getDataSource", List.of(), ExecutableMode.INVOKE));
        }
    }
}
