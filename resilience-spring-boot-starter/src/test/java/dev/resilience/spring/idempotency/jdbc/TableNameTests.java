package dev.resilience.spring.idempotency.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.spring.ResilienceConfigurationException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.core.NestedExceptionUtils;

/** What cannot be the name of a table is refused, whatever the database, before that is asked. */
class TableNameTests {

    private static final String KEY = "resilience.idempotency-store.jdbc.table-name";

    @ParameterizedTest
    @ValueSource(
            strings = {
                "x; drop table y",
                "\"quoted\"",
                "`quoted`",
                "two words",
                "a-b",
                "1st",
                "a..b",
                ".a",
                "a.",
                "a.b.c",
                "it's",
                "x--",
                "k\u00fcche",
                "x)",
                "\u202ex",
                "a_name_of_51_letters_which_is_one_too_many_for_this"
            })
    void aNameThatIsNoneIsRefused(String table) {
        try (HikariDataSource pool = Databases.H2.pool()) {
            TestShop.runner(pool)
                    .withBean(SchemaTests.Orders.class)
                    .withPropertyValues(KEY + "=" + table)
                    .run(context -> {
                        assertThat(context).hasFailed();
                        assertThat(NestedExceptionUtils.getMostSpecificCause(context.getStartupFailure()))
                                .isInstanceOfSatisfying(ResilienceConfigurationException.class, failure -> {
                                    assertThat(failure)
                                            .hasMessageContaining("Property: " + KEY + "\n")
                                            .hasMessageContaining("Value: " + table + "\n");
                                    assertThat(failure.action()).contains("billing.idempotency");
                                });
                    });
        }
    }
}
