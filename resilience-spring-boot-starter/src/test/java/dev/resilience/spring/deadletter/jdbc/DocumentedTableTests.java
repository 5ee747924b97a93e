package dev.resilience.spring.deadletter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.idempotency.jdbc.Dialect;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The table in the docs is the one that the store makes. */
class DocumentedTableTests {

    @ParameterizedTest
    @EnumSource(Dialect.class)
    void theStatementsOfEachDatabaseAreThere(Dialect dialect) throws Exception {
        String page = Files.readString(Path.of("../docs/dead-letters.md"));

        for (String statement : dialect.statements(LetterTable.schema(JdbcDeadLetterStore.DEFAULT_TABLE))) {
            String documented = dialect == Dialect.H2
                    ? statement.replace("VARBINARY(48)", "BYTEA").replace("VARBINARY(1000000000)", "BYTEA")
                    : statement;
            assertThat(page).contains(documented + ";");
        }
        assertThat(page).contains("in H2 VARBINARY(48) for the id and VARBINARY(1000000000) for the arguments");
    }
}
