package dev.resilience.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.deadletter.DeadLetterStore;
import dev.resilience.spring.SortedOnce;
import dev.resilience.spring.deadletter.MemoryDeadLetterStore;
import dev.resilience.spring.deadletter.jdbc.JdbcDeadLetterStore;
import org.junit.jupiter.api.Test;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DeadLetterStoreChoiceTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(SortedOnce.of(ResilienceAutoConfiguration.class, ResilienceJdbcAutoConfiguration.class));

    private final ApplicationContextRunner withDatabase =
            runner.withConfiguration(SortedOnce.of(DataSourceAutoConfiguration.class));

    @Test
    void lettersAreInTheDatabaseWhereThereIsOne() {
        withDatabase.run(
                context -> assertThat(context).getBean(DeadLetterStore.class).isInstanceOf(JdbcDeadLetterStore.class));
    }

    @Test
    void lettersAreInMemoryIfThatIsWantedOrThereIsNoDatabase() {
        withDatabase
                .withPropertyValues("resilience.dead-letter-store.type=memory")
                .run(context ->
                        assertThat(context).getBean(DeadLetterStore.class).isInstanceOf(MemoryDeadLetterStore.class));
        runner.run(context ->
                assertThat(context).getBean(DeadLetterStore.class).isInstanceOf(MemoryDeadLetterStore.class));
    }

    @Test
    void aNameThatNoTableCanHaveFailsTheStartup() {
        withDatabase
                .withPropertyValues("resilience.dead-letter-store.jdbc.table-name=a-b")
                .run(context -> assertThat(context)
                        .getFailure()
                        .hasStackTraceContaining("resilience.dead-letter-store.jdbc.table-name"));
    }
}
