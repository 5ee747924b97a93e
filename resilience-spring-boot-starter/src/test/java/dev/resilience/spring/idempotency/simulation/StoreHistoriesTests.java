package dev.resilience.spring.idempotency.simulation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * Holds the simulated store to what it said in {@code store-histories.txt}, to which the tests of the real stores are held
 * too: so the simulation cannot lie. {@code -Dtest=StoreHistoriesTests -Dhistories.write=true} writes the file anew.
 */
class StoreHistoriesTests {

    private static final Path FILE = Path.of("src/test/resources/store-histories.txt");
    private static final int HISTORIES = 250;
    private static final String EXPLANATION = """
            # What the simulated store answers, in histories of one key that were made by chance. Written by
            # StoreHistoriesTests, and held against the real stores by the starter's tests. A claim has an owner and a
            # lease, a result has a time to live: "over" has ended when the next line is read, "long" has not. What begins
            # with t1 or t2 is done in that transaction; a transaction that looks has its snapshot from then on.
            """;

    @Test
    void theSimulatedStoreAnswersAsItIsWritten() throws IOException {
        if (Boolean.getBoolean("histories.write")) {
            Files.writeString(FILE, histories());
        }

        assertThat(Files.readString(FILE)).isEqualTo(histories());
    }

    @Test
    void everyAnswerOccurs() {
        assertThat(histories())
                .contains(
                        "= acquired",
                        "= taken-over",
                        "= result-",
                        "= InProgress",
                        "= KeyReused",
                        "= Abandoned",
                        "= yes",
                        "= no",
                        "= locked",
                        "= LOCKED",
                        "= LOST",
                        "= IN_PROGRESS",
                        "= COMPLETED",
                        "= 40001");
    }

    private static String histories() {
        return EXPLANATION
                + IntStream.rangeClosed(1, HISTORIES)
                        .mapToObj(seed ->
                                "\nhistory " + seed + "\n" + String.join("\n", HistoryWriter.history(seed)) + "\n")
                        .collect(Collectors.joining());
    }
}
