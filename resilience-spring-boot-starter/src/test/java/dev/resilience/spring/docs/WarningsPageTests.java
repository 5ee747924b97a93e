package dev.resilience.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.resilience.spring.WarningId;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every startup warning has its row, which names the class that finds it and the test of that. */
class WarningsPageTests {

    private static final Path MODULE = Path.of("").toAbsolutePath();

    private static final Pattern ROW =
            Pattern.compile("(?m)^\\| <a id=\"([a-z-]+)\"></a>`([a-z-]+)` \\|.*\\| `(\\w+)`, `(\\w+)` \\|$");

    private static final Map<String, Row> ROWS = rows();

    /** What finds a warning, and its test. */
    private record Row(String check, String test) {}

    private static Map<String, Row> rows() {
        Map<String, Row> rows = new LinkedHashMap<>();
        for (MatchResult row :
                ROW.matcher(Snippets.of("docs/warnings.md").text()).results().toList()) {
            assertThat(row.group(1)).as("the anchor is the id").isEqualTo(row.group(2));
            rows.put(row.group(1), new Row(row.group(3), row.group(4)));
        }
        return rows;
    }

    static Stream<WarningId> ids() {
        return Arrays.stream(WarningId.values());
    }

    @Test
    void theRowsAreTheIdsInTheirOrder() {
        assertThat(ROWS.keySet())
                .containsExactlyElementsOf(
                        ids().map(WarningId::toString).sorted().toList());
    }

    @ParameterizedTest
    @MethodSource("ids")
    void theCheckOfARowGivesTheWarning(WarningId id) throws IOException {
        assertThat(source("main", ROWS.get(id.toString()).check())).containsPattern("\\b" + id.name() + "\\b(?!;)");
    }

    @ParameterizedTest
    @MethodSource("ids")
    void theTestOfARowExpectsTheId(WarningId id) throws IOException {
        assertThat(source("test", ROWS.get(id.toString()).test())).contains("[" + id + "]");
    }

    private static String source(String part, String type) throws IOException {
        try (Stream<Path> files = Files.walk(MODULE.resolve("src/" + part + "/java"))) {
            List<Path> found =
                    files.filter(file -> file.endsWith(type + ".java")).toList();
            assertThat(found).as(type).hasSize(1);
            return Files.readString(found.get(0));
        }
    }
}
