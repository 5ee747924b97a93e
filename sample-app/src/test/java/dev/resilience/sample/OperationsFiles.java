package dev.resilience.sample;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The dashboard and the alerts of {@code docs/operations}. */
final class OperationsFiles {

    static final Path DOCS = Path.of("..", "docs").toAbsolutePath().normalize();
    static final Path DIRECTORY = DOCS.resolve("operations");

    private OperationsFiles() {}

    static String rules() {
        return read(DIRECTORY.resolve("resilience-alerts.yml"));
    }

    static List<Alert> alerts() {
        Rules rules = new Rules(new Yaml().load(rules()));
        return rules.groups().flatMap(Rules::of).map(Alert::of).toList();
    }

    static JsonNode dashboard() {
        return new JsonMapper().readTree(read(DIRECTORY.resolve("resilience-dashboard.json")));
    }

    /** All panels but the headings of rows. */
    static Stream<JsonNode> panels() {
        return dashboard()
                .path("panels")
                .valueStream()
                .filter(panel -> !panel.path("type").asString().equals("row"));
    }

    /** The queries of all panels, and those of the dashboard's annotations. */
    static Stream<Query> queries() {
        Stream<Query> ofPanels = panels().flatMap(panel ->
                panel.path("targets").valueStream().map(target -> Query.of(panel.path("title"), target.path("expr"))));
        Stream<Query> ofAnnotations = dashboard()
                .at("/annotations/list")
                .valueStream()
                .map(annotation -> Query.of(annotation.path("name"), annotation.path("expr")));
        return Stream.concat(ofPanels, ofAnnotations);
    }

    static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    record Alert(String name, String expression, Map<String, String> labels, Map<String, String> annotations) {

        @SuppressWarnings("unchecked") // as the rules of Prometheus have it
        private static Alert of(Map<String, Object> rule) {
            return new Alert(
                    (String) rule.get("alert"),
                    (String) rule.get("expr"),
                    (Map<String, String>) rule.get("labels"),
                    (Map<String, String>) rule.get("annotations"));
        }
    }

    record Query(String title, String expression) {

        private static Query of(JsonNode title, JsonNode expression) {
            return new Query(title.asString(), expression.asString());
        }

        @Override
        public String toString() {
            return title + ": " + expression;
        }
    }

    private record Rules(Map<String, List<Map<String, Object>>> file) {

        Stream<Map<String, Object>> groups() {
            return file.get("groups").stream();
        }

        @SuppressWarnings("unchecked") // as the rules of Prometheus have it
        static Stream<Map<String, Object>> of(Map<String, Object> group) {
            return ((List<Map<String, Object>>) group.get("rules")).stream();
        }
    }
}
