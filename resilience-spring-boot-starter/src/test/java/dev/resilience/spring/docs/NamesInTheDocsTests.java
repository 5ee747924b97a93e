package dev.resilience.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Events and meters have the names in the docs that they have in the code, and links lead somewhere. */
class NamesInTheDocsTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    /** The one way to log; {@link #everyLineOfTheLogHasAnEvent()} sees to it that there is no other. */
    private static final Pattern EVENT = Pattern.compile("LogLine\\.(warn|info|error)\\(\\s*\"([a-z_]+)\"");

    /** The level of a summary is that of what it counts. */
    private static final Pattern SUMMARY = Pattern.compile("\"([a-z_]+_summary)\"");

    private static final Pattern EVENT_IN_A_TABLE = Pattern.compile("(?m)^\\| `([a-z_]+)` \\| ([A-Z, ]+) \\|");
    private static final Pattern LOGGED_OTHERWISE = Pattern.compile(
            "\\.(?:atError|atWarn|atInfo|atLevel|makeLoggingEventBuilder)\\(|\\blog(?:ger)?\\.(?:error|warn|info)\\(");
    private static final Pattern METER =
            Pattern.compile("new MeterFamily\\(\\s*\"(resilience\\.[a-z]+(?:\\.[a-z]+)+)\"");
    /** Properties of more than one word below their kind have a dash, or are those that are named here. */
    private static final Pattern METER_IN_TEXT = Pattern.compile(
            "`(resilience\\.(?!deadline\\.(?:header|margin|minimum)|warnings\\.ignore)[a-z]+(?:\\.[a-z]+)+)[`{]");

    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]*)(?:#([^)]*))?\\)");

    private static Set<String> events;
    private static Set<String> meters;

    @BeforeAll
    static void readTheSources() throws IOException {
        events = new TreeSet<>(levelsByEvent().keySet());
        events.addAll(summaries());
        meters = namesIn(sources("resilience-spring-boot-starter/src/main/java/dev/resilience/spring"), METER);
    }

    static Stream<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"));
                Stream<Path> first = Files.list(ROOT)) {
            return Stream.concat(docs, first).filter(page -> page.toString().endsWith(".md")).toList().stream();
        }
    }

    @Test
    void everyEventIsInTheTableWithItsLevelAndNoOther() throws IOException {
        Map<String, String> documented = new TreeMap<>();
        String page = Files.readString(ROOT.resolve("docs/logging.md"));
        EVENT_IN_A_TABLE.matcher(page).results().forEach(row -> documented.put(row.group(1), row.group(2)));
        Map<String, String> logged = levelsByEvent();
        summaries().forEach(summary -> logged.put(summary, documented.getOrDefault(summary, "its own")));

        assertThat(documented).isEqualTo(logged);
    }

    @Test
    void everyLineOfTheLogHasAnEvent() throws IOException {
        for (Path source : allSources()) {
            if (!source.endsWith(Path.of("dev", "resilience", "log", "LogLine.java"))) {
                assertThat(LOGGED_OTHERWISE.matcher(Files.readString(source)).results())
                        .as("lines of the log in %s that are no LogLine", source.getFileName())
                        .isEmpty();
            }
        }
    }

    @Test
    void everyLoggerIsAClass() throws Exception {
        Path page = ROOT.resolve("docs/logging.md");
        for (String logger :
                namesIn(List.of(page), Pattern.compile("`(dev\\.resilience(?:\\.[a-z0-9]+)*\\.[A-Z]\\w+)`"))) {
            assertThat(Class.forName(logger)).hasToString("class " + logger);
        }
    }

    @Test
    void everyMeterIsInTheTable() throws IOException {
        String table = Files.readString(ROOT.resolve("docs/meters.md"));
        for (String meter : meters) {
            String last = meter.substring(meter.lastIndexOf('.'));
            assertThat(table).containsAnyOf("`" + meter + "`", "`" + last + "`");
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aPageNamesNoEventOrMeterThatIsNot(Path page) throws IOException {
        assertThat(events).containsAll(namesIn(List.of(page), Pattern.compile("event=([a-z_]+)")));
        assertThat(meters).containsAll(namesIn(List.of(page), METER_IN_TEXT));
    }

    @ParameterizedTest
    @MethodSource("pages")
    void linksLeadSomewhere(Path page) throws IOException {
        List<MatchResult> links = LINK.matcher(Files.readString(page)).results().toList();
        for (MatchResult link : links) {
            Path target = link.group(1).isEmpty()
                    ? page
                    : page.resolveSibling(link.group(1)).normalize();
            assertThat(target).as(link.group()).exists();
            if (link.group(2) != null) {
                assertThat(anchors(target)).as(link.group()).contains(link.group(2));
            }
        }
    }

    @Test
    void aPageHasOneSubjectAndIsFoundFromTheFirst() throws IOException {
        String first = Files.readString(ROOT.resolve("docs/README.md"));
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"))) {
            for (Path page :
                    docs.filter(file -> file.toString().endsWith(".md")).toList()) {
                String name = page.getFileName().toString();
                assertThat(Files.readAllLines(page)).as(name).hasSizeLessThanOrEqualTo(300);
                if (!name.equals("README.md")) {
                    assertThat(first).contains("](" + name + ")");
                }
            }
        }
    }

    /** As they are made of headings by what shows Markdown, and those that are written. */
    private static Set<String> anchors(Path page) throws IOException {
        Set<String> anchors = namesIn(List.of(page), Pattern.compile("<a id=\"([a-z-]+)\"></a>"));
        Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-'))
                .forEach(anchors::add);
        return anchors;
    }

    private static Map<String, String> levelsByEvent() throws IOException {
        Map<String, String> levels = new TreeMap<>();
        for (Path source : allSources()) {
            EVENT.matcher(Files.readString(source))
                    .results()
                    .forEach(line -> levels.put(line.group(2), line.group(1).toUpperCase(Locale.ROOT)));
        }
        return levels;
    }

    private static Set<String> summaries() throws IOException {
        return namesIn(allSources(), SUMMARY);
    }

    private static List<Path> allSources() throws IOException {
        List<Path> all = new ArrayList<>(sources("resilience-core"));
        all.addAll(sources("resilience-spring-boot-starter"));
        return all;
    }

    private static List<Path> sources(String directory) throws IOException {
        Path main = directory.contains("/")
                ? ROOT.resolve(directory)
                : ROOT.resolve(directory).resolve("src/main/java");
        try (Stream<Path> files = Files.walk(main)) {
            return files.filter(file -> file.toString().endsWith(".java")).toList();
        }
    }

    private static Set<String> namesIn(List<Path> files, Pattern pattern) throws IOException {
        Set<String> names = new TreeSet<>();
        for (Path file : files) {
            pattern.matcher(Files.readString(file)).results().forEach(found -> names.add(found.group(1)));
        }
        return names;
    }
}
