package dev.resilience;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What is public says what it promises. */
class DocumentedApiTests {

    private static final Path MAIN = Path.of("src/main/java");

    /** A public type at the left margin, with the line before its annotations. */
    private static final Pattern TYPE = Pattern.compile(
            "^(.*)\n(?:@.*\n)*public (?:final |abstract |sealed )*(?:class|record|interface|enum|@interface) (\\w+)",
            Pattern.MULTILINE);

    /** A setter of a builder, with the line before its annotations. */
    private static final Pattern SETTER = Pattern.compile(
            "^(.*)\n(?: +@.*\n)*( +public (?:<.*> )?\\w*Builder \\w+\\([^)]*\\) \\{)$", Pattern.MULTILINE);

    @Test
    void everyPublicTypeHasAComment() throws IOException {
        assertThat(found(TYPE))
                .hasSizeGreaterThan(100)
                .allSatisfy(type -> assertThat(type.group(1)).as(type.group(2)).endsWith("*/"));
    }

    @Test
    void everySetterOfABuilderHasACommentAndAParameterThatSaysMoreThanValue() throws IOException {
        assertThat(found(SETTER)).hasSizeGreaterThan(70).allSatisfy(setter -> {
            assertThat(setter.group(1)).as(setter.group(2)).endsWith("*/");
            assertThat(setter.group(2)).doesNotContain(" value)");
        });
    }

    private static List<MatchResult> found(Pattern pattern) throws IOException {
        try (Stream<Path> files = Files.walk(MAIN)) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .map(DocumentedApiTests::read)
                    .flatMap(source -> pattern.matcher(source).results())
                    .toList();
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
