package dev.resilience.spring.docs;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Events and meters have the names in the docs that they have in the code, and links lead somewhere. */
class NamesInTheDocsTests {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern EVENT =
            Pattern.compile("\"((?:retry|circuit|bulkhead|time_limit|fallback|listener|idempotency)_[a-z_]+)\"");
    private static final Pattern EVENT_IN_A_TABLE =
            Pattern.compile("`((?:retry|circuit|bulkhead|time_limit|fallback|listener|idempotency)_[a-z_]+)`");
    private static final Pattern METER = Pattern.compile("\"(resilience\\.[a-z]+(?:\\.[a-z]+)+)\"");
    /** Properties of more than one word below their kind have a dash, or are the two that are named here. */
    private static final Pattern METER_IN_TEXT =
            Pattern.compile("`(resilience\\.(?!deadline\\.(?:header|margin))[a-z]+(?:\\.[a-z]+)+)[`{]");

    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]*)(?:#([^)]*))?\\)");

    static Stream<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"));
                Stream<Path> first = Files.list(ROOT)) {
            return Stream.concat(docs, first).filter(page -> page.toString().endsWith(".md")).toList().stream();
        }
    }

    @Test
    void everyEventIsInTheTableAndNoOther() throws IOException {
        Set<String> documented = namesIn(List.of(ROOT.resolve("docs/logging.md")), EVENT_IN_A_TABLE);

        assertThat(documented).isEqualTo(namesIn(sources("resilience-core"), EVENT));
    }

    @Test
    void everyMeterIsInTheTable() throws IOException {
        String reference = Files.readString(ROOT.resolve("docs/reference.md"));
        for (String meter :
                namesIn(sources("resilience-spring-boot-starter/src/main/java/dev/resilience/spring/metrics"), METER)) {
            String last = meter.substring(meter.lastIndexOf('.'));
            assertThat(reference).containsAnyOf("`" + meter + "`", "`" + last + "`");
        }
    }

    @ParameterizedTest
    @MethodSource("pages")
    void aPageNamesNoEventOrMeterThatIsNot(Path page) throws IOException {
        assertThat(namesIn(sources("resilience-core"), EVENT))
                .containsAll(namesIn(List.of(page), Pattern.compile("event=([a-z_]+)")));
        assertThat(namesIn(
                        sources("resilience-spring-boot-starter/src/main/java/dev/resilience/spring/metrics"), METER))
                .containsAll(namesIn(List.of(page), METER_IN_TEXT));
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

    /** As they are made of headings by what shows Markdown. */
    private static Set<String> anchors(Path page) throws IOException {
        return Files.readAllLines(page).stream()
                .filter(line -> line.startsWith("#"))
                .map(line -> line.replaceFirst("^#+ ", "")
                        .toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
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
