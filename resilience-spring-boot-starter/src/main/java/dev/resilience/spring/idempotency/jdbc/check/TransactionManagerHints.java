package dev.resilience.spring.idempotency.jdbc.check;

import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.ExecutableMode;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;

/** In a native image too, transaction managers can be asked for their data source, and connections whether they have one. */
final class TransactionManagerHints implements RuntimeHintsRegistrar {

    private static final List<String> MANAGERS = List.of(
            "org.springframework.jdbc.datasource.DataSourceTransactionManager",
            "org.springframework.orm.jpa.JpaTransactionManager",
            "org.springframework.orm.jpa.hibernate.HibernateTransactionManager");

    @Override
    public void registerHints(RuntimeHints hints, @Nullable ClassLoader classLoader) {
        for (String manager : MANAGERS) {
            register(manager, "getDataSource", hints, classLoader);
        }
        register("org.springframework.jdbc.datasource.ConnectionHolder", "isTransactionActive", hints, classLoader);
    }

    private static void register(String type, String method, RuntimeHints hints, @Nullable ClassLoader classLoader) {
        hints.reflection()
                .registerTypeIfPresent(
                        classLoader, type, present -> present.withMethod(method, List.of(), ExecutableMode.INVOKE));
    }
}
