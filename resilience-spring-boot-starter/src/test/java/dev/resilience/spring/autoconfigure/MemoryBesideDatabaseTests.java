package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.annotation.Idempotent;
import dev.resilience.annotation.Retryable;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.StartupWarnings;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;
import org.assertj.core.api.ListAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.aop.AopAutoConfiguration;
import org.springframework.boot.jackson.autoconfigure.JacksonAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** What would survive in the application's database is kept in memory. */
class MemoryBesideDatabaseTests {

    private static final String RECORDS = "resilience.idempotency-store.type=";
    private static final String LETTERS = "resilience.dead-letter-store.type=";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(
                    AopAutoConfiguration.class,
                    JacksonAutoConfiguration.class,
                    ResilienceJdbcAutoConfiguration.class,
                    ResilienceAutoConfiguration.class))
            .withPropertyValues("resilience.retry.kept.dead-letter=true")
            .withBean(Shop.class);

    private static ListAssert<String> warnings(ApplicationContextRunner application) {
        List<String> warnings = new ArrayList<>();
        application.run(context -> {
            assertThat(context).hasNotFailed();
            warnings.addAll(context.getBean(StartupWarnings.class).all());
        });
        return assertThat(warnings);
    }

    private ApplicationContextRunner withDatabase(String... names) {
        ApplicationContextRunner with = application;
        for (String name : names) {
            with = with.withBean(
                    name,
                    DataSource.class,
                    () -> new DriverManagerDataSource("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1"));
        }
        return with;
    }

    @Test
    void recordsInMemoryAreAWarning() {
        warnings(withDatabase("besideMemory").withPropertyValues(RECORDS + "memory", LETTERS + "jdbc"))
                .singleElement()
                .asString()
                .startsWith("Idempotent calls are kept in this process only, though the application has a database")
                .contains("'resilience.idempotency-store.type' to jdbc")
                .endsWith("[memory-store-beside-database] (docs/warnings.md#memory-store-beside-database)");
    }

    @Test
    void deadLettersInMemoryAreAWarning() {
        warnings(withDatabase("besideMemory").withPropertyValues(RECORDS + "jdbc", LETTERS + "memory"))
                .singleElement()
                .asString()
                .startsWith("Dead letters are kept in this process only, though the application has a database")
                .contains("'resilience.dead-letter-store.type' to jdbc");
    }

    @Test
    void bothAreIfNoneOfSeveralDatabasesIsPrimary() {
        warnings(withDatabase("one", "two"))
                .hasSize(2)
                .allSatisfy(warning -> assertThat(warning)
                        .contains("make one DataSource primary")
                        .contains("[memory-store-beside-database]"));
    }

    @Test
    void whatIsInTheDatabaseIsNone() {
        warnings(withDatabase("besideMemory")).isEmpty();
    }

    @Test
    void memoryWithoutADatabaseIsNoneIfItIsChosen() {
        warnings(application.withPropertyValues(RECORDS + "memory", LETTERS + "memory"))
                .isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {RECORDS, LETTERS})
    void memoryWithoutADatabaseIsAnotherOneIfItIsNotChosen(String key) {
        String other = key.equals(RECORDS) ? LETTERS : RECORDS;
        warnings(application.withPropertyValues(other + "memory"))
                .singleElement()
                .asString()
                .contains("[memory-store]");
    }

    static class Shop {

        @Idempotent(key = "#key")
        public String once(String key) {
            return key;
        }

        @Retryable("kept")
        public void sell(String article) {}
    }
}
