package dev.resilience.spring.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.resilience.spring.chaos.Combination.Isolation;
import dev.resilience.spring.idempotency.jdbc.Databases;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;

/** What {@link RandomFaultTests} looks for, it finds. */
@Tag("long")
class PlantedDefectTests {

    private static final int CALLS = 150;
    private static final int MOST_SEEDS = 5;

    @BeforeAll
    static void prepare() {
        try (HikariDataSource direct = Databases.POSTGRESQL.pool()) {
            ChaosRun.prepare(new JdbcTemplate(direct));
        }
    }

    @ParameterizedTest
    @ValueSource(
            classes = {
                PlantedDefects.ForgetsTheFence.class,
                PlantedDefects.WritesOutsideOfTheTransaction.class,
                PlantedDefects.ReplaysWhatWasNeverCommitted.class,
                PlantedDefects.LosesTheRollback.class,
                PlantedDefects.KeepsConnections.class
            })
    void aDefectIsFound(Class<?> defect) {
        List<String> contradictions = new ArrayList<>();
        SilencedLogs.during(() -> {
            for (int seed = 1; seed <= MOST_SEEDS && contradictions.isEmpty(); seed++) {
                Combination combination = new Combination(Manager.DATA_SOURCE, Isolation.READ_COMMITTED, 10);
                try (ChaosRun run = new ChaosRun(combination, CALLS, seed, defect).open()) {
                    contradictions.addAll(run.run());
                }
            }
        });

        assertThat(contradictions).isNotEmpty();
    }
}
